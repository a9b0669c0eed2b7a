// The floor of another language: the same work as contenders/floor-server.ts, in Go.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
)

var client = &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}

func printed(from io.Reader) ([]byte, error) {
	var value map[string]any
	if err := json.NewDecoder(from).Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func stream(writer http.ResponseWriter, body io.Reader) {
	flusher := http.NewResponseController(writer)
	piece := make([]byte, 65536)
	for {
		count, err := body.Read(piece)
		if count > 0 {
			if _, failed := writer.Write(piece[:count]); failed != nil {
				return
			}
			if flusher.Flush() != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func forward(writer http.ResponseWriter, request *http.Request, upstream string) error {
	body, err := printed(request.Body)
	if err != nil {
		return err
	}
	call, err := http.NewRequestWithContext(request.Context(), "POST", upstream+request.URL.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	call.Header.Set("content-type", "application/json")
	answer, err := client.RoundTrip(call)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	kind := answer.Header.Get("content-type")
	writer.Header().Set("content-type", kind)
	if !strings.HasPrefix(kind, "application/json") {
		writer.WriteHeader(answer.StatusCode)
		stream(writer, answer.Body)
		return nil
	}
	whole, err := printed(answer.Body)
	if err != nil {
		return err
	}
	writer.WriteHeader(answer.StatusCode)
	_, err = writer.Write(whole)
	return err
}

// Arguments: the address to listen on, and the upstream's URL.
func main() {
	serve := func(writer http.ResponseWriter, request *http.Request) {
		if request.Method == "GET" {
			return
		}
		if forward(writer, request, os.Args[2]) != nil {
			writer.WriteHeader(http.StatusBadGateway)
		}
	}
	panic(http.ListenAndServe(os.Args[1], http.HandlerFunc(serve)))
}
