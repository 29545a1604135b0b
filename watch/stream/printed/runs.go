package printed

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// ask asks for one page of the rows of a set.
func ask(ctx context.Context, h *client.Client, key world.CoverKey, next string) (*table, error) {
	r := h.At(http.MethodGet, key.Kind, key.Namespace, "").
		SetHeader("Accept", tableAccept).
		Param("limit", tableLimit).Param("includeObject", "Metadata")
	if next != "" {
		r = r.Param("continue", next)
	}
	raw, err := h.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	return read(key.Kind, raw)
}

// table is a Table of runs (meta.k8s.io/v1).
type table struct {
	Metadata metav1.ListMeta `json:"metadata"`
	Columns  []struct {
		Name string `json:"name"`
	} `json:"columnDefinitions"`
	Rows []struct {
		Cells  []any `json:"cells"`
		Object struct {
			Metadata objectjson.Meta `json:"metadata"`
		} `json:"object"`
	} `json:"rows"`
}

// read reads a Table.
func read(kind engine.Kind, raw []byte) (*table, error) {
	t := &table{}
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, fmt.Errorf("read table of %s: %w: %w", kind, client.ErrNotJSON, err)
	}
	return t, nil
}

// column returns the index of a column, -1 if there is none.
func (t *table) column(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// runs returns the rows by the runs of a hub.
func (t *table) runs(hub engine.HubName, kind engine.Kind) map[engine.ID]world.PrintedRun {
	placed, index, initialized := t.column("Placement"), t.column("Resource-Snapshot-Index"), t.column("Initialized")
	progressing, succeeded, strategy := t.column("Progressing"), t.column("Succeeded"), t.column("Strategy")
	rows := make(map[engine.ID]world.PrintedRun, len(t.Rows))
	for _, row := range t.Rows {
		cell := func(i int) string {
			if i < 0 || i >= len(row.Cells) {
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
			Placement:   cell(placed),
			Index:       cell(index),
			Strategy:    cell(strategy),
			Initialized: cell(initialized),
			Progressing: cell(progressing),
			Succeeded:   cell(succeeded),
			Created:     m.CreationTimestamp.Time,
			Generation:  m.Generation,
			Deleting:    m.DeletionTimestamp != nil,
		}
	}
	return rows
}
