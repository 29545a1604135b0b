package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/client"
)

// event is the part of a core/v1 Event that a page shows.
type event struct {
	Type               string           `json:"type"`
	Reason             string           `json:"reason"`
	Message            string           `json:"message"`
	Count              int              `json:"count"`
	FirstTimestamp     metav1.Time      `json:"firstTimestamp"`
	LastTimestamp      metav1.Time      `json:"lastTimestamp"`
	EventTime          metav1.MicroTime `json:"eventTime"`
	ReportingComponent string           `json:"reportingComponent"`
	Source             struct {
		Component string `json:"component"`
	} `json:"source"`
}

// events reads the events about an object and, of a run, about its placement.
func (p *pages) events(ctx context.Context, of engine.ID) (page.Answer, error) {
	var f page.EventsFacts
	about := []engine.ID{of}
	if p.seen != nil {
		if v := p.seen.Find(of); v != nil && !v.Placement.IsZero() && v.Placement != of {
			about = append(about, v.Placement)
		}
	}
	for i, id := range about {
		all, err := p.eventsOf(ctx, id)
		if err != nil && i == 0 && client.KindOf(err) != client.Forbidden {
			return page.Answer{}, err
		}
		f.Events = append(f.Events, page.EventsOf{About: id, Events: all, Why: p.why(err)})
	}
	f.Now = p.now()
	return page.EventsPage(f), nil
}

func (p *pages) eventsOf(ctx context.Context, id engine.ID) ([]page.Event, error) {
	ns, name, _ := id.Raw()
	if ns == "" {
		ns = "default" // where events about cluster-scoped objects are
	}
	set := fields.Set{"involvedObject.kind": id.Kind().String(), "involvedObject.name": name}
	raw, err := p.Hub.Do(ctx, p.Hub.Request(http.MethodGet).AbsPath("/api/v1").Namespace(ns).Resource("events").
		Param("fieldSelector", set.AsSelector().String()).MaxRetries(0))
	if err != nil {
		return nil, err
	}
	var l struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, fmt.Errorf("read events: %w", errors.Join(client.ErrNotJSON, err))
	}
	var out []page.Event
	for _, raw := range l.Items {
		var e event
		if json.Unmarshal(raw, &e) != nil {
			continue // an unreadable event does not hide the others
		}
		o := page.Event{
			Type: e.Type, Reason: e.Reason, Message: e.Message, Count: e.Count,
			From: e.ReportingComponent, First: e.FirstTimestamp.Time, Last: e.LastTimestamp.Time,
		}
		if o.From == "" {
			o.From = e.Source.Component
		}
		if o.Last.IsZero() {
			o.Last = e.EventTime.Time
		}
		out = append(out, o)
	}
	return out, nil
}
