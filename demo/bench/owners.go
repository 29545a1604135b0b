package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// owners measures the command that counts every binding of the hub, beside a plain GET of them.
func (b *bench) owners(ctx context.Context) error {
	if b.size.Bindings == 0 {
		return nil
	}
	var wall, cpu, peak, floorWall, floorCPU samples
	var length int64
	for range b.Times {
		floor, n, err := read(ctx, b.hub.config, boundTo)
		if err != nil {
			return err
		}
		floorWall, floorCPU, length = append(floorWall, milliseconds(floor.wall)), append(floorCPU, milliseconds(floor.cpu)), n
		began := time.Now()
		cmd := exec.CommandContext(ctx, b.Program, "owners", "--all", "--output", "json", "--kubeconfig", b.hub.kubeconfig)
		cmd.Env, cmd.Stderr = b.hub.environment(), os.Stderr
		highest, err := runWatched(cmd)
		if err != nil {
			return fmt.Errorf("owners --all: %w", err)
		}
		wall = append(wall, milliseconds(time.Since(began)))
		cpu = append(cpu, milliseconds(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()))
		peak = append(peak, highest)
	}
	const of = "GET of the bindings"
	return b.report(
		wall.figure(allWall, unitTime).over(floorWall, of),
		cpu.figure(allCPU, unitTime).over(floorCPU, of),
		peak.figure(allMemory, unitMemory).over(samples{float64(length) / (1 << 20)}, "the bindings as JSON"),
	)
}

// runWatched runs a program and returns its highest resident memory, in MiB. What wait returns
// of a child that was forked has that of its parent.
func runWatched(cmd *exec.Cmd) (highest float64, err error) {
	const look = 10 * time.Millisecond
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return highest, err
		case <-tick.C:
			if _, peak, err := processMemory(cmd.Process.Pid); err == nil { // else it ends
				highest = max(highest, peak)
			}
		}
	}
}
