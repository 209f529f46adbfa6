package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// wireCase is one request of testdata/wire.json: how it is written on the wire,
// why, and what must come back from hub and game alike. Fields that are left
// out are those of the plain case.
type wireCase struct {
	Name   string `json:"name"`
	Why    string `json:"why"`
	Expect string `json:"expect"` // ok or a code of section 5
	Only   string `json:"only"`   // hub or game; "" is both

	Method         string    `json:"method"`
	Target         string    `json:"target"`
	ContentTypes   *[]string `json:"contentTypes"`
	Headers        []string  `json:"headers"` // further lines
	NoLength       bool      `json:"noLength"`
	Chunked        bool      `json:"chunked"`
	Body           *string   `json:"body"`
	Pad            int       `json:"pad"` // spaces up to this many bytes
	Signatures     *[]string `json:"signatures"`
	Signer         string    `json:"signer"` // own or stranger
	Ts             int       `json:"ts"`     // seconds from now
	TsMilliseconds bool      `json:"tsMilliseconds"`
	SignedBody     string    `json:"signedBody"`
	SignedPath     string    `json:"signedPath"`
	SignedMethod   string    `json:"signedMethod"`
	SignedTs       int       `json:"signedTs"` // added to what is signed alone
	Replay         string    `json:"replay"`   // what is sent before: see replays
}

// wireTarget is one receiver of the table.
type wireTarget struct {
	kind     string // hub or game
	addr     string // where to dial
	host     string
	path     string
	op       string
	from, to string
	other    string // a third platform
	signer   sgip.Signer
	stranger sgip.Signer
}

const (
	plainBody      = `{"sgip":"0.1","id":"{{id}}","op":"{{op}}","from":{"platform":"{{from}}"},"to":{"platform":"{{to}}"},"reply_to":null,"payload":{}}`
	plainSignature = `keyId={{key}},ts={{ts}},nonce={{nonce}},sig={{sig}}`
)

// TestWire runs one table against a real hub and a real game.
func TestWire(t *testing.T) {
	cases := readWireCases(t)
	s := newStage(t)
	for _, target := range wireTargets(t, s) {
		t.Run(target.kind, func(t *testing.T) {
			for _, c := range cases {
				if c.Only == "" || c.Only == target.kind {
					t.Run(c.Name, func(t *testing.T) { target.run(t, c) })
				}
			}
		})
	}
}

func readWireCases(t *testing.T) []wireCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "wire.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []wireCase
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	expectations := []string{"ok", "bad_signature", "expired", "invalid_payload", "op_unsupported", "not_found", "forbidden"}
	names := map[string]bool{}
	for _, c := range cases {
		if c.Name == "" || c.Why == "" || names[c.Name] || !slices.Contains(expectations, c.Expect) {
			t.Fatalf("case %q: needs a name of its own, a why, and an expectation from %v", c.Name, expectations)
		}
		names[c.Name] = true
	}
	if len(cases) == 0 {
		t.Fatal("the table is empty")
	}
	return cases
}

func wireTargets(t *testing.T, s *stage) []wireTarget {
	t.Helper()
	key := func(p *process, name string) sgip.Signer {
		signer, err := exchange.LoadKey(filepath.Join(p.dir, name), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return signer
	}
	stranger, err := sgip.NewSigner(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	if err != nil {
		t.Fatal(err)
	}
	at := func(p *process) string { return "127.0.0.1:" + strconv.Itoa(p.part.port) }
	return []wireTarget{
		{kind: "hub", addr: at(s.hub), host: s.hub.part.host, path: "/ops", op: "platform.directory@1",
			from: s.lagos.part.host, to: sgip.HubID, other: s.berlin.part.host, signer: key(s.lagos, "key"), stranger: stranger},
		{kind: "game", addr: at(s.lagos), host: s.lagos.part.host, path: "/sgip/inbox", op: "hub.ping@1",
			from: sgip.HubID, to: s.lagos.part.host, other: s.berlin.part.host, signer: key(s.hub, "key"), stranger: stranger},
	}
}

// attempt is one request being put together.
type attempt struct {
	id, nonce string
	body      string
}

func (w wireTarget) run(t *testing.T, c wireCase) {
	first := attempt{id: ulid.Make().String(), nonce: ulid.Make().String()}
	first.body = w.fill(value(c.Body, plainBody), first.id)
	if c.Pad > 0 {
		first.body += strings.Repeat(" ", c.Pad-len(first.body))
	}
	second := first
	switch c.Replay {
	case "":
		w.expect(t, c, w.send(t, c, first), first.id)
		return
	case "nonce":
		second.id = ulid.Make().String()
		second.body = w.fill(plainBody, second.id)
	case "nonce_after_junk":
		first.body = "junk"
	case "same_body":
		second.nonce = ulid.Make().String()
	case "same_id":
		second.nonce = ulid.Make().String()
		second.body += " "
	default:
		t.Fatalf("no such replay: %s", c.Replay)
	}
	before := w.send(t, c, first)
	if c.Replay != "nonce_after_junk" && !before.OK {
		t.Fatalf("the first request was refused: %+v", before)
	}
	after := w.send(t, c, second)
	w.expect(t, c, after, second.id)
	if c.Replay == "same_body" && !bytes.Equal(before.Result, after.Result) {
		t.Errorf("the retry was answered %s, the first %s", after.Result, before.Result)
	}
}

// wireReply is the JSON of section 5, read loosely so that a test can say what is wrong.
type wireReply struct {
	OK     bool            `json:"ok"`
	ID     *string         `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		Retryable *bool  `json:"retryable"`
	} `json:"error"`
	status int
}

func (w wireTarget) expect(t *testing.T, c wireCase, r wireReply, id string) {
	t.Helper()
	if c.Expect == "ok" {
		if !r.OK || r.ID == nil || *r.ID != id || r.status != http.StatusOK {
			t.Fatalf("%s: got %s, want ok for %s", c.Why, r, id)
		}
		return
	}
	if r.OK || r.Error == nil || r.Error.Code != c.Expect {
		t.Fatalf("%s: got %s, want %s", c.Why, r, c.Expect)
	}
	if r.Error.Message == "" || r.Error.Retryable == nil || *r.Error.Retryable {
		t.Errorf("%s: the refusal needs a message and retryable false: %s", c.Why, r)
	}
	if want := statusOf(c.Expect); r.status != want && r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%s: status %d, want %d", c.Why, r.status, want)
	}
}

func (r wireReply) String() string {
	if r.Error != nil {
		return fmt.Sprintf("status %d, %s: %s", r.status, r.Error.Code, r.Error.Message)
	}
	return fmt.Sprintf("status %d, ok %v, result %s", r.status, r.OK, r.Result)
}

func statusOf(code string) int {
	return sgip.ErrorReply("", sgip.Errorf(sgip.Code(code), "any")).Status()
}

func value[T any](given *T, otherwise T) T {
	if given != nil {
		return *given
	}
	return otherwise
}

// fill puts the receiver's names into a template.
func (w wireTarget) fill(template, id string) string {
	return strings.NewReplacer("{{id}}", id, "{{id_lower}}", strings.ToLower(id), "{{op}}", w.op, "{{from}}", w.from,
		"{{to}}", w.to, "{{other}}", w.other, "{{host}}", w.host, "{{path}}", w.path, "{{path_upper}}", strings.ToUpper(w.path),
		"{{byte_ff}}", "\xff", "{{byte_c0_af}}", "\xc0\xaf").Replace(template)
}

// send writes the request by hand, so that nothing tidies it up.
func (w wireTarget) send(t *testing.T, c wireCase, a attempt) wireReply {
	t.Helper()
	conn, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	method := c.Method
	if method == "" {
		method = http.MethodPost
	}
	target := w.path
	if c.Target != "" {
		target = w.fill(c.Target, a.id)
	}
	var request bytes.Buffer
	fmt.Fprintf(&request, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", method, target, w.host)
	for _, header := range w.headers(c, a, method, target) {
		request.WriteString(header + "\r\n")
	}
	request.WriteString("\r\n")
	if c.Chunked {
		fmt.Fprintf(&request, "%x\r\n%s\r\n0\r\n\r\n", len(a.body), a.body)
	} else {
		request.WriteString(a.body)
	}
	if _, err := conn.Write(request.Bytes()); err != nil {
		t.Logf("the receiver stopped reading: %v", err)
	}
	return readWireReply(t, conn)
}

func readWireReply(t *testing.T, conn net.Conn) wireReply {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Errorf("the answer is %q, not application/json: %s", kind, text)
	}
	r := wireReply{status: res.StatusCode}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("status %d, no reply of section 5: %q", res.StatusCode, text)
	}
	return r
}

func (w wireTarget) headers(c wireCase, a attempt, method, target string) []string {
	var lines []string
	for _, kind := range value(c.ContentTypes, []string{"application/json"}) {
		lines = append(lines, "Content-Type: "+kind)
	}
	length := strconv.Itoa(len(a.body))
	if !c.NoLength {
		lines = append(lines, "Content-Length: "+length)
	}
	for _, h := range c.Headers {
		lines = append(lines, strings.ReplaceAll(h, "{{length}}", length))
	}
	for _, s := range value(c.Signatures, []string{plainSignature}) {
		lines = append(lines, sgip.SignatureHeader+": "+w.signature(c, a, s, method, target))
	}
	return lines
}

// signature signs as the case wants it and fills the header's template.
func (w wireTarget) signature(c wireCase, a attempt, template, method, target string) string {
	signer := w.signer
	if c.Signer == "stranger" {
		signer = w.stranger
	}
	body, path := a.body, target
	if c.SignedBody != "" {
		body = w.fill(c.SignedBody, a.id)
	}
	if c.SignedPath != "" {
		path = c.SignedPath
	}
	if c.SignedMethod != "" {
		method = c.SignedMethod
	}
	ts := time.Now().Unix() + int64(c.Ts)
	if c.TsMilliseconds {
		ts = time.Now().UnixMilli()
	}
	header := signer.Sign(method, path, time.Unix(ts+int64(c.SignedTs), 0), a.nonce, []byte(body))
	_, sig, _ := strings.Cut(header, "sig=")
	sig, _, _ = strings.Cut(sig, ",")
	return strings.NewReplacer("{{key}}", w.signer.Public.ID, "{{key_upper}}", strings.ToUpper(w.signer.Public.ID)+"A",
		"{{ts}}", strconv.FormatInt(ts, 10), "{{nonce}}", a.nonce, "{{nonce_lower}}", strings.ToLower(a.nonce),
		"{{sig}}", sig, "{{sig_unpadded}}", strings.TrimRight(sig, "="), "{{sig_trailing}}", strayBits(sig),
		"{{sig_unreduced}}", unreduced(sig)).Replace(template)
}

// strayBits sets a bit in the last digit that stands for no byte.
func strayBits(sig string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	last := strings.TrimRight(sig, "=")
	at := strings.IndexByte(digits, last[len(last)-1])
	return last[:len(last)-1] + string(digits[at|1]) + "=="
}

// unreduced adds the group order to S: the same point, another number.
func unreduced(sig string) string {
	raw, err := base64.StdEncoding.DecodeString(sig)
	if err != nil {
		return sig
	}
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	slices.Reverse(raw[32:])
	s := new(big.Int).SetBytes(raw[32:])
	s.Add(s, order).FillBytes(raw[32:])
	slices.Reverse(raw[32:])
	return base64.StdEncoding.EncodeToString(raw)
}
