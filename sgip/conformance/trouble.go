package conformance

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"sgip.example/starter/sgip/outbound"
)

// trouble says why a request brought nothing, without the addresses behind a
// name: they are not for everyone who may ask a hub for a check.
func trouble(err error, within time.Duration) string {
	certificate, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, badName := errors.AsType[*net.DNSError](err)
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), isNet && timeout.Timeout():
		return fmt.Sprintf("didn't come within %d seconds", int(within/time.Second))
	case errors.Is(err, context.Canceled):
		return "was no longer waited for"
	case errors.Is(err, outbound.ErrTooLarge):
		return "is too large"
	case errors.Is(err, outbound.ErrEncoded):
		return "came with a Content-Encoding that nobody asked for"
	case errors.Is(err, outbound.ErrAddress):
		return "can't be had: the name doesn't stand for a public address"
	case badCertificate:
		return "can't be had: the certificate isn't accepted: " + certificate.Err.Error()
	case badName:
		return "can't be had: the name isn't known"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "can't be had: nobody listens there"
	}
	return "didn't come: the connection broke"
}
