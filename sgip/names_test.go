package sgip

import (
	"strings"
	"testing"
)

var (
	production = Mode{}
	local      = Mode{Local: true}
	plainLocal = Mode{Local: true, PlainHTTP: true}
)

func TestMode_ValidPlatform(t *testing.T) {
	long := strings.Repeat("a.", 125) + "com" // 253 characters
	for id, want := range map[string]struct{ production, local bool }{
		"lagos.example":                          {true, true},
		"play.lagos-1.example":                   {true, true},
		"1lagos.example":                         {true, true},
		"xn--mnchen-3ya.example":                 {true, true},
		long:                                     {true, true},
		"a" + long:                               {false, false},
		strings.Repeat("a", 63) + ".example":     {true, true},
		strings.Repeat("a", 64) + ".example":     {false, false},
		"lagos.localhost":                        {false, true},
		"lagos.localhost:8081":                   {false, true},
		"a.lagos.localhost:1":                    {false, true},
		"lagos.localhost:65535":                  {false, true},
		"lagos.localhost:65536":                  {false, false},
		"lagos.localhost:0":                      {false, false},
		"lagos.localhost:080":                    {false, false},
		"lagos.localhost:":                       {false, false},
		"lagos.localhost:80:80":                  {false, false},
		"lagos.localhost:+80":                    {false, false},
		"localhost":                              {false, false},
		"localhost:8081":                         {false, false},
		"lagos":                                  {false, false},
		HubID:                                    {false, false},
		"":                                       {false, false},
		"lagos.example.":                         {false, false},
		".lagos.example":                         {false, false},
		"lagos..example":                         {false, false},
		"-lagos.example":                         {false, false},
		"lagos-.example":                         {false, false},
		"Lagos.example":                          {false, false},
		"lägos.example":                          {false, false},
		"lagos.example:443":                      {false, false},
		"lagos_1.example":                        {false, false},
		"tunde@lagos.example":                    {false, false},
		"lagos.example/":                         {false, false},
		" lagos.example":                         {false, false},
		"lagos.example\n":                        {false, false},
		"127.0.0.1":                              {false, false},
		"0x7f.1":                                 {false, false},
		"2130706433":                             {false, false},
		"lagos.0x7f":                             {false, false},
		"[::1]":                                  {false, false},
		"::1":                                    {false, false},
		"lagos.localhost.example":                {true, true},
		"lagoslocalhost.example":                 {true, true},
		"lagos.localhost\u200b":                  {false, false},
		strings.Repeat("a.", 5) + "localhost:80": {false, true},
	} {
		if got := production.ValidPlatform(id); got != want.production {
			t.Errorf("production takes %q: %v", id, got)
		}
		if got := local.ValidPlatform(id); got != want.local {
			t.Errorf("local mode takes %q: %v", id, got)
		}
	}
}

func TestMode_SplitPlayer(t *testing.T) {
	handle, platform, ok := local.SplitPlayer("tunde@lagos.localhost:8081")
	if handle != "tunde" || platform != "lagos.localhost:8081" || !ok {
		t.Errorf("got %q %q %v", handle, platform, ok)
	}
	for _, player := range []string{
		"", "tunde", "@lagos.example", "tunde@", "t@lagos.example", "Tunde@lagos.example", "tun-de@lagos.example",
		strings.Repeat("a", 33) + "@lagos.example", "tunde@lagos@lagos.example", "tunde@sgip-hub", "tunde@lagos.localhost",
		" tunde@lagos.example", "tunde@lagos.example ",
	} {
		if _, _, ok := production.SplitPlayer(player); ok {
			t.Errorf("takes %q", player)
		}
	}
	if !ValidHandle(strings.Repeat("_", 32)) || !ValidHandle("a1") {
		t.Error("refuses a good handle")
	}
}

func TestMode_Origin(t *testing.T) {
	for _, c := range []struct {
		mode             Mode
		platform, origin string
	}{
		{production, "lagos.example", "https://lagos.example"},
		{local, "lagos.localhost:8081", "https://lagos.localhost:8081"},
		{plainLocal, "lagos.localhost:8081", "http://lagos.localhost:8081"},
		{plainLocal, "lagos.localhost:80", "http://lagos.localhost"},
		{local, "lagos.localhost:443", "https://lagos.localhost"},
		{plainLocal, "lagos.example", "https://lagos.example"},
		{Mode{PlainHTTP: true}, "lagos.localhost", "https://lagos.localhost"},
	} {
		if got := c.mode.Origin(c.platform); got != c.origin {
			t.Errorf("%+v %s: %s", c.mode, c.platform, got)
		}
	}
	if got := production.DescriptorURL("lagos.example"); got != "https://lagos.example/.well-known/sgip.json" {
		t.Errorf("descriptor at %s", got)
	}
}

func TestMode_CheckURL(t *testing.T) {
	for _, c := range []struct {
		mode     Mode
		platform string
		url      string
		ok       bool
	}{
		{production, "lagos.example", "https://lagos.example/sgip/inbox", true},
		{production, "lagos.example", "https://lagos.example", true},
		{production, "lagos.example", "https://Lagos.Example/x", true},
		{production, "lagos.example", "https://play.lagos.example:8443/x", true},
		{production, "lagos.example", "http://lagos.example/x", false},
		{production, "lagos.example", "ftp://lagos.example/x", false},
		{production, "lagos.example", "//lagos.example/x", false},
		{production, "lagos.example", "/x", false},
		{production, "lagos.example", "", false},
		{production, "lagos.example", "https:lagos.example/x", false},
		{production, "lagos.example", "https:///x", false},
		{production, "lagos.example", "https://evil-lagos.example/x", false},
		{production, "lagos.example", "https://lagos.example.evil.com/x", false},
		{production, "lagos.example", "https://lagos.example./x", false},
		{production, "lagos.example", "https://tunde@lagos.example/x", false},
		{production, "lagos.example", "https://@lagos.example/x", false},
		{production, "lagos.example", "https://lagos.example@evil.com/x", false},
		{production, "lagos.example", "https://evil.com\\.lagos.example/x", false},
		{production, "lagos.example", "https://evil.com\\@lagos.example/x", false},
		{production, "lagos.example", "https://evil.com%2f.lagos.example/x", false},
		{production, "lagos.example", "https://lagos.example/x#y", false},
		{production, "lagos.example", "https://lagos.example/x#", false},
		{production, "lagos.example", "https://lagos.example//x", false},
		{production, "lagos.example", "https://lagos.example:0/x", false},
		{production, "lagos.example", "https://lagos.example:/x", false},
		{production, "lagos.example", "https://lagos.example:65536/x", false},
		{production, "lagos.example", "https://lagos.example:443a/x", false},
		{production, "lagos.example", " https://lagos.example/x", false},
		{production, "lagos.example", "https://lagos.example/x\n", false},
		{production, "lagos.example", "https://lagos.example/a b", false},
		{production, "lagos.example", "https://lagos.example/é", false},
		{production, "lagos.example", "https://lagos.example/%zz", false},
		{production, "lagos.example", "https://[::1]/x", false},
		{production, "lagos.example", "javascript:alert(1)", false},
		{local, "lagos.localhost:8081", "http://lagos.localhost:8081/x", false},
		{local, "lagos.localhost:8081", "https://lagos.localhost:9/x", true},
		{plainLocal, "lagos.localhost:8081", "http://lagos.localhost:8081/x", true},
		{plainLocal, "lagos.localhost:8081", "http://berlin.localhost:8082/x", false},
		{plainLocal, "lagos.example", "http://lagos.example/x", false},
	} {
		if err := c.mode.CheckURL(c.platform, c.url, true); (err == nil) != c.ok {
			t.Errorf("%+v %s %q: %v", c.mode, c.platform, c.url, err)
		}
	}
	const withQuery = "https://lagos.example/x?y=1"
	if production.CheckURL("lagos.example", withQuery, true) != nil || production.CheckURL("lagos.example", withQuery, false) == nil {
		t.Error("a query is a matter of the field")
	}
	if production.CheckURL("lagos.example", "https://lagos.example/x?", false) == nil {
		t.Error("an empty query is a query")
	}
}

func TestULID_Valid(t *testing.T) {
	for id, want := range map[string]bool{
		envelopeID:                   true,
		"00000000000000000000000000": true,
		"7ZZZZZZZZZZZZZZZZZZZZZZZZZ": true,
		"8ZZZZZZZZZZZZZZZZZZZZZZZZZ": false,
		"01ja2b3c4d5e6f7g8h9j0k1m2n": false,
		"01JA2B3C4D5E6F7G8H9J0K1M2I": false,
		"01JA2B3C4D5E6F7G8H9J0K1M2L": false,
		"01JA2B3C4D5E6F7G8H9J0K1M2O": false,
		"01JA2B3C4D5E6F7G8H9J0K1M2U": false,
		"01JA2B3C4D5E6F7G8H9J0K1M2":  false,
		envelopeID + "A":             false,
		envelopeID[:25] + "\n":       false,
		"":                           false,
	} {
		if got := ValidULID(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}

func TestLabel_Of(t *testing.T) {
	for platform, want := range map[string]string{"lagos.example": "lagos", "lagos.localhost:8081": "lagos", "play.lagos.example": "play"} {
		if got := Label(platform); got != want {
			t.Errorf("%s: %s", platform, got)
		}
	}
}

func TestText_Check(t *testing.T) {
	for _, text := range []string{
		"How far? Greetings from Lagos", "a < b", "a <3 b", "1<2", "<", "x\ny\tz", "👩🏾‍🚀", "é", "مرحبا",
		strings.Repeat("字", 20), "\u202eabc", "a\u0301",
	} {
		if err := CheckText("text", text, 40); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{
		"", " ", "\n\t", "\u00a0", "\u200b\u200d", "\u2800", "\u3164", "\ufe0f", "\u0301", "\U000e0041", "\u202e",
		"a\rb", "a\x00", "a\x7f", "a\u0085", "a\x1b[31m", "\xff", "a\xc3",
		"<b>", "x<script", "</b", "<!--", "a<é", strings.Repeat("字", 21),
	} {
		if err := CheckText("text", text, 20); CodeOf(err) != InvalidPayload || !strings.HasPrefix(AsError(err).Message, "text: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if CheckText("text", strings.Repeat("字", 20), 20) != nil {
		t.Error("lengths are counted in code points")
	}
}

func TestOp_Valid(t *testing.T) {
	for op, want := range map[Op]bool{
		"message.send@1": true, "a.b@10": true, "a_1.b_2@1": true, "x-lagos.wave@1": true, "x-0-.wave@3": true, "x.y@1": true,
		"": false, "message.send": false, "message.send@": false, "message.send@0": false, "message.send@01": false,
		"message.send@1a": false, "message.send@-1": false, "message@1": false, ".send@1": false, "message.@1": false,
		"Message.send@1": false, "1message.send@1": false, "message.send.x@1": false, "x-.wave@1": false, "x--a.wave@1": false,
		"x-Lagos.wave@1": false, "my-game.wave@1": false, "message.send@1@1": false, "message.send@1\n": false, " message.send@1": false,
		Op("x-" + strings.Repeat("a", 63) + ".wave@1"): true, Op("x-" + strings.Repeat("a", 64) + ".wave@1"): false,
	} {
		if got := op.Valid(); got != want {
			t.Errorf("%q: %v", op, got)
		}
	}
}

func TestOp_Way(t *testing.T) {
	for way, ops := range map[Way][]Op{
		ToHub:            {HubHello, HubCheck, PlatformDirectory, VisitRequest, WalletBalance, WalletCharge, WalletRefund},
		FromHub:          {HubPing, WalletRead, WalletDebit, WalletCredit},
		BetweenPlatforms: {PlayerLookup, PlayerProfile, MessageSend, InviteSend, PlaceStatus, VisitEnd},
		WayUnknown:       {"x-lagos.wave@1", "message.send@2", ""},
	} {
		for _, op := range ops {
			if got := op.Way(); got != way {
				t.Errorf("%s goes way %d", op, got)
			}
		}
	}
}
