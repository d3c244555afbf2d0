// PocketBase as its own program is, but for the durability that it takes from SYNCHRONOUS (FULL or NORMAL) and says.
// Build it in an empty folder with a copy of this file:
//
//	go mod init bench && go get github.com/pocketbase/pocketbase@v0.36.8 && go mod tidy
//	CGO_ENABLED=0 go build -o pocketbase .
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	_ "modernc.org/sqlite"
)

func main() {
	synchronous := os.Getenv("SYNCHRONOUS")
	pragmas := []string{
		"busy_timeout(10000)", "journal_mode(WAL)", "journal_size_limit(200000000)", "synchronous(" + synchronous + ")",
		"foreign_keys(ON)", "temp_store(MEMORY)", "cache_size(-32000)",
	}
	fmt.Println("synchronous " + synchronous)
	app := pocketbase.NewWithConfig(pocketbase.Config{
		DBConnect: func(file string) (*dbx.DB, error) {
			return dbx.Open("sqlite", file+"?_pragma="+strings.Join(pragmas, "&_pragma="))
		},
	})
	if err := app.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
