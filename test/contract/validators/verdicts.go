// Validates bodies with a Go validator; lines in and out as in verdicts.py.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

type subject struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Bodies []string        `json:"bodies"`
}

type told struct {
	Name  string `json:"name"`
	Taken []bool `json:"taken,omitempty"`
	Error string `json:"error,omitempty"`
}

func verdicts(of subject) ([]bool, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(of.Schema)))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		return nil, err
	}
	taken := make([]bool, 0, len(of.Bodies))
	for _, text := range of.Bodies {
		body, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		taken = append(taken, schema.Validate(body) == nil)
	}
	return taken, nil
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var of subject
			if err := json.Unmarshal(line, &of); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			taken, err := verdicts(of)
			answer := told{Name: of.Name, Taken: taken}
			if err != nil {
				answer.Error = err.Error()
			}
			out.Encode(answer)
		}
		if err != nil {
			return
		}
	}
}
