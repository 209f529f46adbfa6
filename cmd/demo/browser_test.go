package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is one headless Chromium, shared by the windows of a test.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// newBrowser starts Chromium, or leaves the test out where there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := chromium()
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("Chromium is missing")
		}
		t.Skip("Chromium is missing; CI=true would fail here")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-quic", true),
		// Frames of other sites stay in the page's process, where the test can look into them.
		chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("disable-features", "IsolateOrigins,site-per-process,Translate,OptimizationHints"))
	allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		closeAllocator()
		t.Fatalf("start Chromium: %v", err)
	}
	t.Cleanup(func() {
		closeBrowser()
		closeAllocator()
	})
	return &browser{t: t, ctx: ctx}
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// window is one tab with cookies of its own.
type window struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	contexts map[string]string // unique id of the script context, by origin
	problems []string          // what the console complained of
}

// open makes a window with its own cookies and shows url in it.
func (b *browser) open(url string) *window {
	b.t.Helper()
	w := &window{t: b.t, contexts: map[string]string{}}
	ctx, closeWindow := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(w.notice))
	b.t.Cleanup(func() {
		if b.t.Failed() {
			w.capture(fmt.Sprintf("failed-%p", w))
		}
		closeWindow()
	})
	w.ctx = ctx
	w.size(1440, 900, false)
	w.visit(url)
	return w
}

func (w *window) notice(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExecutionContextCreated:
		if strings.Contains(string(e.Context.AuxData), `"isDefault":true`) {
			w.contexts[e.Context.Origin] = e.Context.UniqueID
		}
	case *runtime.EventExecutionContextDestroyed:
		for origin, id := range w.contexts {
			if id == e.ExecutionContextUniqueID {
				delete(w.contexts, origin)
			}
		}
	case *runtime.EventExceptionThrown:
		w.problems = append(w.problems, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" {
			for _, arg := range e.Args {
				w.problems = append(w.problems, string(arg.Value))
			}
		}
	}
}

// quiet fails the test if a script of the window threw or complained.
func (w *window) quiet() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.problems {
		w.t.Errorf("the page complained: %s", p)
	}
}

func (w *window) visit(url string) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, chromedp.Navigate(url)); err != nil {
		w.t.Fatalf("open %s: %v", url, err)
	}
}

// size sets the window's width and height in CSS pixels.
func (w *window) size(width, height int64, phone bool) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: phone})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *window) dark(on bool) {
	w.t.Helper()
	scheme := "light"
	if on {
		scheme = "dark"
	}
	_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// eval runs an expression in the page, or in the frame of origin where given.
// It returns what the expression gave as text.
func (w *window) eval(origin, expression string) (string, error) {
	w.mu.Lock()
	id, framed := w.contexts[origin]
	w.mu.Unlock()
	if origin != "" && !framed {
		return "", fmt.Errorf("no frame of %s", origin)
	}
	yes := true
	result, err := chromedp.Call(w.ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "Promise.resolve(" + expression + ").then(String)", UniqueContextID: id,
		ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
	})
	if err != nil {
		return "", err
	}
	if result.ExceptionDetails != nil {
		return "", fmt.Errorf("%s: %s", expression, result.ExceptionDetails.Text)
	}
	var text string
	err = json.Unmarshal(result.Result.Value, &text)
	return text, err
}

// must waits until the expression is true in the page or frame.
func (w *window) must(origin, what, expression string) {
	w.t.Helper()
	waitUntil(w.t, what, func() bool {
		text, err := w.eval(origin, expression)
		return err == nil && text == "true"
	})
}

// sees waits until text stands on the page or frame.
func (w *window) sees(origin, text string) {
	w.t.Helper()
	w.must(origin, fmt.Sprintf("%q is to be read", text),
		fmt.Sprintf("document.body.innerText.replace(/\\s+/g,' ').toLowerCase().includes(%q.toLowerCase())", text))
}

// click waits for the element and clicks it.
func (w *window) click(origin, selector string) {
	w.t.Helper()
	w.must(origin, selector+" is clicked", fmt.Sprintf(
		`(() => { const e = document.querySelector(%q); if (document.readyState !== "complete" || !e || e.disabled) return false; e.click(); return true })()`, selector))
}

// fill waits for the field, writes into it as typing would, and tells the page.
func (w *window) fill(origin, selector, text string) {
	w.t.Helper()
	w.must(origin, selector+" is filled", fmt.Sprintf(
		`(() => { const e = document.querySelector(%q); if (!e) return false; e.value = %q;
		  e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true})); return true })()`, selector, text))
}

// screens are the two sizes and two looks of each picture.
var screens = []struct {
	suffix        string
	width, height int64
	phone, dark   bool
}{
	{"1440-light", 1440, 900, false, false},
	{"1440-dark", 1440, 900, false, true},
	{"360-light", 360, 740, true, false},
	{"360-dark", 360, 740, true, true},
}

// capture leaves a picture of the window as it is.
func (w *window) capture(name string) {
	folder := filepath.Join("..", "..", "out", "screens")
	picture, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err = errors.Join(err, os.MkdirAll(folder, 0o755)); err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	if err != nil {
		w.t.Errorf("picture %s: %v", name, err)
	}
}

// photograph leaves a picture of the window in each size and look.
func (w *window) photograph(name string) {
	w.t.Helper()
	for _, s := range screens {
		w.size(s.width, s.height, s.phone)
		w.dark(s.dark)
		w.must("", "the fonts are there", "document.fonts.status === 'loaded'")
		if s.phone {
			w.must("", "nothing is wider than the phone", "document.documentElement.scrollWidth <= 360")
		}
		w.capture(name + "-" + s.suffix)
	}
	w.size(1440, 900, false)
	w.dark(false)
}
