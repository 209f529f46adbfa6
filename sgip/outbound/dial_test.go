package outbound

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
)

func TestPublic_Act(t *testing.T) {
	for text, want := range map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "93.184.216.34": true, "172.32.0.1": true, "100.128.0.1": true,
		"2606:4700:4700::1111": true, "2a00:1450:4001::200e": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "100.64.0.1": false, "100.127.255.255": false,
		"127.0.0.1": false, "127.255.255.255": false, "169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.0.0.8": false, "192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false,
		"198.19.255.255": false, "198.51.100.7": false, "203.0.113.9": false, "224.0.0.1": false, "239.255.255.250": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:8.8.8.8": true,
		"64:ff9b::7f00:1": false, "64:ff9b::808:808": false, "64:ff9b:1::1": false, "100::1": false,
		"2001::1": false, "2001:10::1": false, "2001:db8::1": false, "2002:7f00:1::": false, "2002:808:808::1": false,
		"3fff::1": false, "5f00::1": false, "fc00::1": false, "fd12:3456::1": false, "fe80::1": false, "fe80::1%eth0": false,
		"fec0::1": false, "ff02::1": false, "2606:4700::1%eth0": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public is %v, want %v", text, got, want)
		}
	}
	if public(netip.Addr{}) {
		t.Error("no address is public")
	}
	for _, junk := range []string{"", "lagos.example:443", "127.0.0.1", "127.0.0.1:443", "[::ffff:7f00:1]:443"} {
		if checkAddress(junk) == nil {
			t.Errorf("%q passes the guard", junk)
		}
	}
}

// TestDialer_Rebinding: a name is judged by the address that is dialled, for
// each of the addresses it has.
func TestDialer_Rebinding(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var met atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			met.Add(1)
			_ = conn.Close()
		}
	}()
	names := startDNS(t)
	d := newDialer(Options{})
	d.guarded.Resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", names)
	}}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if _, err := d.dial(t.Context(), "tcp", "evil.example:"+port); !errors.Is(err, ErrAddress) {
		t.Errorf("%v", err)
	}
	if met.Load() != 0 {
		t.Error("a connection to an internal address was made")
	}
}

// startDNS answers every question for an IPv4 address with two internal ones.
func startDNS(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buf := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(answerDNS(buf[:n]), from)
		}
	}()
	return conn.LocalAddr().String()
}

// answerDNS writes a response by hand (RFC 1035, 4.1): the question back, and
// for type A the addresses 127.0.0.1 and 10.0.0.1.
func answerDNS(query []byte) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	question := query[12 : end+5]
	var records []byte
	count := byte(0)
	if query[end+2] == 1 { // type A
		for _, address := range [][]byte{{127, 0, 0, 1}, {10, 0, 0, 1}} {
			records = append(records, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
			records = append(records, address...)
			count++
		}
	}
	answer := []byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0}
	return append(append(answer, question...), records...)
}
