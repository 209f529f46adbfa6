package main

import (
	"bytes"
	"os"
	"testing"
)

func TestCommon_Regenerate(t *testing.T) {
	t.Run("OK is what is checked in", func(t *testing.T) {
		want, err := os.ReadFile("../common.json")
		if err != nil {
			t.Fatal(err)
		}
		got, err := common(commonTemplate)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Error("common.json is not what the template and the vocabulary give: run `go generate ./schemas`")
		}
	})
	t.Run("Err no such domain", func(t *testing.T) {
		if _, err := common(`{{ids "weather"}}`); err == nil {
			t.Error("ids of nothing were written")
		}
	})
}
