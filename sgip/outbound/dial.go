package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// dialTimeout bounds one connection attempt, so that a dead address leaves time
// for the next one of the same name.
const dialTimeout = 5 * time.Second

// dialer connects to names. Only names of Resolve, and those of local mode,
// reach addresses that aren't public.
type dialer struct {
	local   bool
	resolve map[string]string
	free    net.Dialer
	guarded net.Dialer
}

func newDialer(o Options) *dialer {
	d := &dialer{local: o.Mode.Local, resolve: o.Resolve, free: net.Dialer{Timeout: dialTimeout}}
	d.guarded = d.free
	// On the address dialled, after DNS: a name checked earlier may stand for
	// another address by now.
	d.guarded.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
		return checkAddress(address)
	}
	return d
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	host = strings.ToLower(host)
	if to, ok := d.resolve[host]; ok {
		return d.free.DialContext(ctx, network, to)
	}
	if !isLocal(host) {
		return d.guarded.DialContext(ctx, network, address)
	}
	if !d.local {
		return nil, fmt.Errorf("%s: %w outside local mode", host, ErrAddress)
	}
	// RFC 6761: the name always means loopback; DNS isn't asked.
	conn, err := d.free.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	if err == nil || ctx.Err() != nil {
		return conn, err
	}
	conn, err6 := d.free.DialContext(ctx, network, net.JoinHostPort("::1", port))
	if err6 != nil {
		return nil, err
	}
	return conn, nil
}

// isLocal tells localhost and the names below it.
func isLocal(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func checkAddress(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, ErrAddress)
	}
	if !public(at.Addr()) {
		return fmt.Errorf("%s: %w", at.Addr(), ErrAddress)
	}
	return nil
}

// public reports whether an address is one of the public internet: by the IANA
// registries of special-purpose addresses, neither loopback, private,
// link-local, shared, documentation, benchmarking, multicast nor reserved; and
// for IPv6 within global unicast and no road into IPv4 (6to4, Teredo, NAT64).
func public(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.Is6() && !netip.MustParsePrefix("2000::/3").Contains(a) {
		return false
	}
	for _, special := range specialPurpose() {
		if special.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}

func specialPurpose() []netip.Prefix {
	var all []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
	} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// ParseResolve reads values of the form HOST=ADDR:PORT.
func ParseResolve(values []string) (map[string]string, error) {
	resolve := map[string]string{}
	for _, value := range values {
		host, address, ok := strings.Cut(value, "=")
		if !ok || host == "" {
			return nil, fmt.Errorf("%q: want HOST=ADDR:PORT", value)
		}
		if _, err := netip.ParseAddrPort(address); err != nil {
			return nil, fmt.Errorf("%q: %w; want HOST=ADDR:PORT", value, err)
		}
		resolve[strings.ToLower(host)] = address
	}
	return resolve, nil
}
