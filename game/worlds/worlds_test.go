package worlds

import "testing"

func TestLoad_OK(t *testing.T) {
	for _, name := range Names() {
		town, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(name, len(town.World.Places), len(town.World.Map.Blocks))
	}
}
