package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// patience is how long a test waits for something that must come true. It is
// no measure of speed: only a hang reaches it.
const patience = 60 * time.Second

// binaries holds the folder with hub and game, built once for this package.
var binaries string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "stage")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		cmd := exec.Command("go", "build", "-tags", "crashpoints", "-o", dir+string(filepath.Separator), "../hub", "../game")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		binaries = dir
		return m.Run()
	}())
}

// stage is a hub and two towns as real processes on free ports.
type stage struct {
	t                  *testing.T
	dir                string
	hub, lagos, berlin *process
}

// process is one of them. It can be killed and started again on its own data.
type process struct {
	t     *testing.T
	part  part
	dir   string               // its data
	crash string               // the file that arms its crash points
	ready func() bool          // nil: asked over plain HTTP
	attr  *syscall.SysProcAttr // nil: as usual
	limit int                  // of a file it writes, in blocks of 512 bytes; 0 for none
	log   *lockedBuffer
	cmd   *exec.Cmd
	gone  chan struct{}
}

// zones sets each process's clock to another part of the world: no rule may
// depend on where a machine stands.
var zones = map[string]string{"hub": "Asia/Kathmandu", "lagos": "Africa/Lagos", "berlin": "America/Los_Angeles"}

// lockedBuffer keeps a process's log. Its buffer has a name, so that nobody gets
// past the lock through a method of the buffer's own.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *lockedBuffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
}

// newStage starts the three parts and waits until both towns are registered.
func newStage(t *testing.T) *stage {
	t.Helper()
	dir := t.TempDir()
	return startStage(t, dir, cast(freePorts(t), dir))
}

// newHurriedStage is a stage on which Berlin never closes and an hour there is
// over in a second, so that a guest needn't wait between two purchases.
func newHurriedStage(t *testing.T) *stage {
	t.Helper()
	dir := t.TempDir()
	parts := cast(freePorts(t), dir)
	hurry(t, &parts[2], dir)
	return startStage(t, dir, parts)
}

// hurry gives a town's process a copy of its folder in which nothing closes, an
// hour is over in a second, and whatever else the edits change.
func hurry(t *testing.T, p *part, dir string, edits ...func(world, network map[string]any)) {
	t.Helper()
	folder := filepath.Join(dir, p.name+"-world")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("..", "..", "game", "worlds", p.name))); err != nil {
		t.Fatal(err)
	}
	var world, network map[string]any
	files := map[string]*map[string]any{"world.json": &world, "network.json": &network}
	for name, into := range files {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	world["minutes_per_second"] = 60
	for _, place := range world["places"].([]any) {
		delete(place.(map[string]any), "hours")
	}
	for _, edit := range edits {
		edit(world, network)
	}
	for name, from := range files {
		text, err := json.Marshal(*from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.args[slices.Index(p.args, "--world")+1] = folder
}

func startStage(t *testing.T, dir string, parts []part) *stage {
	t.Helper()
	s := &stage{t: t, dir: dir}
	s.hub, s.lagos, s.berlin = newProcess(t, parts[0], dir), newProcess(t, parts[1], dir), newProcess(t, parts[2], dir)
	for _, p := range []*process{s.hub, s.lagos, s.berlin} {
		p.start()
	}
	s.waitReady()
	return s
}

func (s *stage) waitReady() {
	s.t.Helper()
	for _, p := range []*process{s.hub, s.lagos, s.berlin} {
		p.waitReady()
	}
}

func newProcess(t *testing.T, p part, dir string) *process {
	return &process{t: t, part: p, dir: filepath.Join(dir, p.name), crash: filepath.Join(dir, p.name+".crash"), log: &lockedBuffer{}}
}

func (p *process) start() {
	p.t.Helper()
	name, args := filepath.Join(binaries, p.part.bin), p.part.args
	if p.limit > 0 {
		name, args = "sh", append([]string{"-c", `ulimit -f "$0" && exec "$@"`, strconv.Itoa(p.limit), name}, args...)
	}
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = p.attr
	cmd.Env = append(os.Environ(), "SGIP_CRASH_FILE="+p.crash, "TZ="+zones[p.part.name])
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	gone := make(chan struct{})
	p.cmd, p.gone = cmd, gone
	go func() {
		_ = cmd.Wait()
		close(gone)
	}()
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-gone
		if text := p.log.String(); p.t.Failed() && text != "" {
			p.t.Logf("--- log of %s ---\n%s", p.part.name, text)
		}
		p.log.Reset()
	})
}

func (p *process) waitReady() {
	p.t.Helper()
	ready := p.ready
	if ready == nil {
		ready = func() bool { return healthy(p.t.Context(), p.part) }
	}
	waitUntil(p.t, p.part.name+" is ready", func() bool {
		select {
		case <-p.gone:
			p.t.Fatalf("%s ended before it was ready:\n%s", p.part.name, p.log.String())
		default:
		}
		return ready()
	})
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.gone
}

// arm makes the process kill itself at its nth crash point from now on.
func (p *process) arm(n int) {
	p.t.Helper()
	_ = os.Remove(p.crash + ".done")
	if err := os.WriteFile(p.crash, []byte(strconv.Itoa(n)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// disarm reports whether the process passed its armed crash point.
func (p *process) disarm() (crashed bool) {
	_ = os.Remove(p.crash)
	_, err := os.Stat(p.crash + ".done")
	_ = os.Remove(p.crash + ".done")
	return err == nil
}

func (p *process) dead() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// query reads one number from the process's database.
func (p *process) query(text string, args ...any) int64 {
	p.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.dir, p.part.bin+".db")+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	var n sql.NullInt64
	if err := db.QueryRow(text, args...).Scan(&n); err != nil {
		p.t.Fatalf("%s: %s: %v", p.part.name, text, err)
	}
	return n.Int64
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}

// freePorts finds three free ports in a row.
func freePorts(t testing.TB) int {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		base := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if base < 65500 && checkPorts(cast(base, ""), base) == nil {
			return base
		}
	}
	t.Fatal("no three free ports in a row")
	return 0
}

// person is someone at a browser without a screen: forms, cookies, and the
// guest token that a visit page would hold.
type person struct {
	t      *testing.T
	client *http.Client
	home   string // http://lagos.localhost:8081
	host   string // http://berlin.localhost:8082
	visit  string
	token  string
}

// newPerson makes someone whose browser finds every name on this machine.
func newPerson(t *testing.T, home, host string) *person {
	return newPersonOver(t, home, host, &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
	}})
}

func newPersonOver(t *testing.T, home, host string, transport *http.Transport) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &person{t: t, home: home, host: host, client: &http.Client{
		Transport: transport, Jar: jar, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is a response read whole.
type answer struct {
	status   int
	location string
	body     string
}

func (p *person) do(method, target, contentType, body string) (answer, error) {
	req, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	u, err := url.Parse(target)
	if err != nil {
		return answer{}, err
	}
	if method == http.MethodPost {
		req.Header.Set("Origin", u.Scheme+"://"+u.Host)
		req.Header.Set("Content-Type", contentType)
	}
	if p.token != "" && strings.HasPrefix(target, p.host) {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	res, err := p.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, location: res.Header.Get("Location"), body: string(text)}, err
}

// form posts a form that must be answered by a redirect, and returns where to.
func (p *person) form(target string, fields url.Values) string {
	p.t.Helper()
	a, err := p.do(http.MethodPost, target, "application/x-www-form-urlencoded", fields.Encode())
	if err != nil {
		p.t.Fatal(err)
	}
	if a.status != http.StatusSeeOther {
		p.t.Fatalf("POST %s: status %d, want 303\n%s", target, a.status, a.body)
	}
	return a.location
}

func (p *person) playAs(handle string) {
	p.t.Helper()
	p.form(p.home+"/play-as", url.Values{"handle": {handle}})
}

// travel sets off for the host with a budget in home money's minor units, hands
// the passport over as the two pages would, and becomes a guest there.
func (p *person) travel(budget string) {
	p.t.Helper()
	hostID := strings.TrimPrefix(strings.TrimPrefix(p.host, "https://"), "http://")
	trip := p.form(p.home+"/travel", url.Values{"host": {hostID}, "budget": {budget}})
	p.visit = trip[strings.LastIndex(trip, "/")+1:]
	p.enter()
}

// enter hands a passport of the visit under way to the host.
func (p *person) enter() {
	p.t.Helper()
	ticket, err := p.do(http.MethodPost, p.home+"/travel/"+p.visit+"/ticket", "application/json", "")
	if err != nil || ticket.status != http.StatusOK {
		p.t.Fatalf("ticket: %v, status %d, %s", err, ticket.status, ticket.body)
	}
	var passport struct{ Passport string }
	p.decode(ticket.body, &passport)
	homeID := strings.TrimPrefix(strings.TrimPrefix(p.home, "https://"), "http://")
	body, err := json.Marshal(map[string]string{"passport": passport.Passport})
	if err != nil {
		p.t.Fatal(err)
	}
	entered, err := p.do(http.MethodPost, p.host+"/visit/session?home="+url.QueryEscape(homeID)+"&visit="+p.visit, "application/json", string(body))
	if err != nil || entered.status != http.StatusOK {
		p.t.Fatalf("enter: %v, status %d, %s", err, entered.status, entered.body)
	}
	var session struct{ Token string }
	p.decode(entered.body, &session)
	if session.Token == "" {
		p.t.Fatalf("enter: no guest token in %s", entered.body)
	}
	p.token = session.Token
}

func (p *person) decode(text string, into any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		p.t.Fatalf("%v in %s", err, text)
	}
}

// buy asks for an activity with a price; it answers with what the page got.
func (p *person) buy(activity string) (answer, error) {
	return p.do(http.MethodPost, p.host+"/visit/buy", formType, url.Values{"activity": {activity}}.Encode())
}
