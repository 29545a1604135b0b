package tty

import tea "charm.land/bubbletea/v2"

// careful is a model whose panics end the process through panicked. Bubble
// Tea's closes the terminal's reader while a goroutine of its own may still
// read, which is a data race, and prints the panic uncleaned.
type careful struct {
	tea.Model
	panicked func(any)
	// show gets each view.
	show func(tea.View)
}

func (c careful) Init() tea.Cmd {
	defer c.caught()
	return c.command(c.Model.Init())
}

func (c careful) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer c.caught()
	m, cmd := c.Model.Update(msg)
	c.Model = m
	return c, c.command(cmd)
}

func (c careful) View() tea.View {
	defer c.caught()
	v := c.Model.View()
	c.show(v)
	return v
}

// command guards a command, and those that it hands on to run side by side.
func (c careful) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer c.caught()
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			guarded := make(tea.BatchMsg, len(batch))
			for i, one := range batch {
				guarded[i] = c.command(one)
			}
			return guarded
		}
		return msg
	}
}

func (c careful) caught() {
	if v := recover(); v != nil {
		c.panicked(v)
	}
}
