package printed

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/objectjson"
)

const (
	// tableLimit is how many printed rows are asked for: more than fit any
	// screen, few enough to be there at once.
	tableLimit  = "500"
	tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

// Runs asks for the runs of a set as the rows that kubectl would print.
func Runs(ctx context.Context, h *client.Client, key world.CoverKey) (map[engine.ID]world.PrintedRun, error) {
	ctx, cancel := context.WithTimeout(ctx, client.Deadline)
	defer cancel()
	raw, err := h.Do(ctx, h.At(http.MethodGet, key.Kind, key.Namespace, "").
		SetHeader("Accept", tableAccept).
		Param("limit", tableLimit).Param("includeObject", "Metadata"))
	if err != nil {
		return nil, err
	}
	return read(h.Name(), key.Kind, raw)
}

// read makes rows of a Table. Columns are found by name: which there are
// depends on the hub's version (docs/kubefleet.md#versions).
func read(hub engine.HubName, kind engine.Kind, raw []byte) (map[engine.ID]world.PrintedRun, error) {
	var table struct {
		Columns []struct {
			Name string `json:"name"`
		} `json:"columnDefinitions"`
		Rows []struct {
			Cells  []any `json:"cells"`
			Object struct {
				Metadata objectjson.Meta `json:"metadata"`
			} `json:"object"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(raw, &table); err != nil {
		return nil, fmt.Errorf("read table of %s: %w: %w", kind, client.ErrNotJSON, err)
	}
	column := map[string]int{}
	for i, c := range table.Columns {
		column[c.Name] = i
	}
	rows := make(map[engine.ID]world.PrintedRun, len(table.Rows))
	for _, row := range table.Rows {
		cell := func(name string) string {
			i, ok := column[name]
			if !ok || i >= len(row.Cells) {
				return ""
			}
			s, ok := row.Cells[i].(string)
			if !ok { // null: the object has no such field
				return ""
			}
			return s
		}
		m := row.Object.Metadata
		if m.Name == "" {
			continue
		}
		rows[hub.ID(kind, m.Namespace, m.Name, m.UID)] = world.PrintedRun{
			Placement:   cell("Placement"),
			Index:       cell("Resource-Snapshot-Index"),
			Initialized: cell("Initialized"),
			Progressing: cell("Progressing"),
			Succeeded:   cell("Succeeded"),
			Created:     m.CreationTimestamp.Time,
		}
	}
	return rows, nil
}
