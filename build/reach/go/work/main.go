// A write, its replay, a paged read and the feed, with what oapi-codegen made: work URL TOKEN ROOM.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/google/uuid"

	"reach/made"
)

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func held(holds bool, what string) {
	if !holds {
		must(fmt.Errorf("not so: %s", what))
	}
}

func main() {
	url, token, room := os.Args[1], os.Args[2], uuid.MustParse(os.Args[3])
	all := context.Background()
	signed := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	agent, err := made.NewClientWithResponses(url, made.WithRequestEditorFn(signed))
	must(err)
	anyone, err := made.NewClientWithResponses(url)
	must(err)

	body := made.CreateThreadBody{SchemaVersion: 3, RequestId: uuid.New(), RoomId: room, Title: "By oapi-codegen"}
	first, err := agent.CreateThreadWithResponse(all, nil, body)
	must(err)
	again, err := agent.CreateThreadWithResponse(all, nil, body)
	must(err)
	held(first.JSON200 != nil && again.JSON200 != nil, "both are answered")
	held(*again.JSON200.Replayed && again.JSON200.Result.ThreadId == first.JSON200.Result.ThreadId, "the second is a replay")

	one, found, after := 1, 0, 0
	for {
		page, err := anyone.RoomThreadsWithResponse(all, room, &made.RoomThreadsParams{Limit: &one, After: &after})
		must(err)
		for _, thread := range page.JSON200.Items {
			if thread.Title == body.Title {
				found++
			}
		}
		if !page.JSON200.HasMore {
			break
		}
		after = *page.JSON200.NextCursor
	}
	held(found == 1, "the Thread is in the list once")

	feed, err := anyone.RoomActivityWithResponse(all, room, nil)
	must(err)
	entries := feed.JSON200.Items
	held(entries[len(entries)-1].Operation == "create_thread", "the feed ends with it")
	fmt.Println("oapi-codegen: a write, its replay, a paged read and the feed")
}
