package exchange

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/crash"
)

// Call sends body, the envelope id, to a platform's inbox or the hub's ops URL,
// signed with a fresh ts and nonce, once, and brings back what was answered. The
// error is PlatformOffline when no answer came that counts: none in time, one
// that doesn't parse, or one that only says that the signature isn't accepted.
func (o *Outbox) Call(ctx context.Context, platform, id string, body []byte) (sgip.Reply, error) {
	began := o.c.Clock()
	reply, raw, err := o.attempt(ctx, platform, id, body)
	code := sgip.CodeOf(err)
	if err == nil && reply.Error != nil {
		code = reply.Error.Code
		if code == sgip.BadSignature || code == sgip.Expired {
			if o.c.Refused != nil {
				o.c.Refused(platform)
			}
			err = sgip.Wrap(sgip.PlatformOffline, reply.Error, platform+" doesn't accept the signature of "+o.c.Self)
			reply = sgip.Reply{}
		}
	}
	if o.c.Observer != nil {
		o.c.Observer.Observe(Event{
			At: began, Out: true, Peer: platform, Op: opOf(body), ID: id, Code: code,
			Took: o.c.Clock().Sub(began), Request: Masked{body}, Response: Masked{raw},
		})
	}
	o.heard(platform, err == nil)
	return reply, err
}

func (o *Outbox) attempt(ctx context.Context, platform, id string, body []byte) (sgip.Reply, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, o.c.Timeout)
	defer cancel()
	endpoint, err := o.c.Peer.Endpoint(ctx, platform)
	if err != nil {
		return sgip.Reply{}, nil, noAnswer(platform, err)
	}
	path, err := signedPath(endpoint)
	if err != nil {
		return sgip.Reply{}, nil, noAnswer(platform, err)
	}
	header := map[string]string{
		"Content-Type":       "application/json",
		sgip.SignatureHeader: o.c.Signer().Sign(http.MethodPost, path, o.c.Clock(), o.c.NewID(), body),
	}
	crash.Point("before send")
	response, err := o.c.Client.Post(ctx, endpoint, header, body, o.c.MaxReply)
	crash.Point("after send")
	if err != nil {
		return sgip.Reply{}, nil, noAnswer(platform, err)
	}
	if kinds := response.Header.Values("Content-Type"); len(kinds) != 1 || !isJSON(kinds[0]) {
		return sgip.Reply{}, nil, noAnswer(platform, errors.New("the answer isn't application/json"))
	}
	reply, err := sgip.ParseReply(response.Body, id, o.c.MaxReply)
	if err != nil {
		return sgip.Reply{}, response.Body, noAnswer(platform, err)
	}
	return reply, response.Body, nil
}

func noAnswer(platform string, err error) error {
	return sgip.Wrap(sgip.PlatformOffline, err, platform+" gave no answer")
}

// signedPath is the path as it will stand in the request line.
func signedPath(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	if path := u.EscapedPath(); path != "" {
		return path, nil
	}
	return "/", nil
}
