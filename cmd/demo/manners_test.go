package main

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// command runs a sub-command beside the running process, on its data.
func (p *process) command(args ...string) string {
	p.t.Helper()
	out, err := exec.Command(filepath.Join(binaries, p.part.bin), append(args, "--data", p.dir)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", p.part.bin, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (p *process) signer() sgip.Signer {
	p.t.Helper()
	signer, err := exchange.LoadKey(filepath.Join(p.dir, "key"), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	return signer
}

// ask sends the hub an operation with the key of a town, as that town would.
func (s *stage) ask(town *process, op sgip.Op, from, to sgip.Address, payload any) sgip.Reply {
	s.t.Helper()
	env, err := sgip.NewEnvelope(ulid.Make().String(), op, from, to, payload)
	if err != nil {
		s.t.Fatal(err)
	}
	body, err := env.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1:"+strconv.Itoa(s.hub.part.port)+"/ops", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Host = s.hub.part.host
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sgip.SignatureHeader, town.signer().Sign(http.MethodPost, "/ops", time.Now(), ulid.Make().String(), body))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	reply, err := sgip.ParseReply(text, env.ID, sgip.MaxHubReply)
	if err != nil {
		s.t.Fatalf("%s answered %s: %v", op, text, err)
	}
	return reply
}

func address(p *process) sgip.Address { return sgip.Address{Platform: p.part.host} }

// directory is how the hub answers a town that asks for the directory.
func (s *stage) directory(town *process) sgip.Reply {
	s.t.Helper()
	return s.ask(town, sgip.PlatformDirectory, address(town), sgip.Address{Platform: sgip.HubID}, struct{}{})
}

// TestManners drives the sub-commands beside three running processes.
func TestManners(t *testing.T) {
	dir := t.TempDir()
	parts := cast(freePorts(t), dir)
	parts[0].args = append(parts[0].args, "--rate-limit", "100000") // it is asked without a pause
	s := startStage(t, dir, parts)
	t.Run("OKSuspendAndResume", s.suspends)
	t.Run("OKRotateHubKey", s.rotatesHub)
	t.Run("OKRotateGameKey", s.rotatesGame)
	// Last: it shows the towns strange keys, after which they look for another one
	// of the hub's once a minute.
	t.Run("OKBothTownsConform", s.conforms)
}

func (s *stage) suspends(t *testing.T) {
	s.hub.command("suspend", s.berlin.part.host)
	waitUntil(t, "Berlin is shut out", func() bool {
		reply := s.directory(s.berlin)
		return !reply.OK && reply.Error.Code == sgip.Forbidden
	})
	if reply := s.directory(s.lagos); !reply.OK || bytes.Contains(reply.Result, []byte(s.berlin.part.host+`","name"`)) {
		t.Errorf("Lagos is shown %s", reply.Result)
	}
	s.hub.command("resume", s.berlin.part.host)
	waitUntil(t, "Berlin is let in", func() bool { return s.directory(s.berlin).OK })
}

// rotatesHub: towns find the new key by themselves, once for each.
func (s *stage) rotatesHub(t *testing.T) {
	old := s.hub.signer().Public.ID
	s.hub.command("rotate-key")
	next := s.hub.signer().Public.ID
	if next == old {
		t.Fatal("the key file has the old key")
	}
	waitUntil(t, "it is published", func() bool {
		res, err := http.Get("http://127.0.0.1:" + strconv.Itoa(s.hub.part.port) + "/.well-known/sgip-hub.json")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(body, []byte(next))
	})
	tunde := sgip.Address{Platform: s.lagos.part.host, Player: sgip.PlayerID("tunde", s.lagos.part.host)}
	lena := sgip.Address{Platform: s.berlin.part.host, Player: sgip.PlayerID("lena", s.berlin.part.host)}
	reply := s.ask(s.lagos, sgip.MessageSend, tunde, lena, sgip.MessagePayload{Text: "Do you know the new key?"})
	if !reply.OK || reply.Queued() {
		t.Errorf("%+v", reply)
	}
	p := newPerson(t, s.lagos.part.url(), s.berlin.part.url())
	p.playAs("tunde")
	p.travel("1000") // its passport is signed with the new key
}

// rotatesGame: while one traveller after the other asks the hub for a passport,
// Lagos changes its key, and none of them notices.
func (s *stage) rotatesGame(t *testing.T) {
	old := s.lagos.signer().Public.ID
	p := newPerson(t, s.lagos.part.url(), s.berlin.part.url())
	p.playAs("ada")
	s.lagos.command("rotate-key")
	next := filepath.Join(s.lagos.dir, "key.next")
	waitUntil(t, "Lagos has a new key, and the hub knows no other", func() bool {
		trip := p.form(p.home+"/travel", url.Values{"host": {s.berlin.part.host}, "budget": {"1000"}})
		if !strings.HasPrefix(trip, "/travel/") {
			t.Fatalf("led to %s in the middle of the rotation", trip)
		}
		if _, err := os.Stat(next); err == nil {
			return false
		}
		known := `SELECT count(*) FROM hub_keys WHERE platform = ?`
		return s.hub.query(known, s.lagos.part.host) == 1 && s.hub.query(known+` AND key_id = ?`, s.lagos.part.host, old) == 0
	})
	if now := s.lagos.signer().Public.ID; s.hub.query(`SELECT count(*) FROM hub_keys WHERE key_id = ?`, now) != 1 {
		t.Errorf("the hub doesn't know %s", now)
	}
	if strings.Contains(s.lagos.log.String(), "hello refused") {
		t.Error("a hello of Lagos was refused")
	}
}

// conforms: both towns pass every check that the hub has, required or not.
func (s *stage) conforms(t *testing.T) {
	for _, town := range []*process{s.lagos, s.berlin} {
		var report sgip.CheckReport
		reply := s.ask(town, sgip.HubCheck, address(town), sgip.Address{Platform: sgip.HubID}, struct{}{})
		if err := sgip.DecodeResult(sgip.Mode{Local: true, PlainHTTP: true}, sgip.HubCheck, reply, &report); err != nil {
			t.Fatal(err)
		}
		for _, c := range report.Checks {
			if !c.Passed {
				t.Errorf("%s: %s: %s", town.part.name, c.Name, c.Detail)
			}
		}
		if !report.Conforms || len(report.Checks) < 12 {
			t.Errorf("%s: %+v", town.part.name, report)
		}
	}
}
