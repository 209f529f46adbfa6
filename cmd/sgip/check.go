package main

import (
	"context"
	"fmt"
	"os"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/conformance"
	"sgip.example/starter/sgip/outbound"
)

type checkCmd struct {
	HubKey   string   `required:"" placeholder:"FILE" help:"Key file of the hub that the game trusts."`
	Home     string   `placeholder:"PLATFORM" help:"The home that the visit page is opened for; the game itself unless given."`
	Local    bool     `help:"Local mode: names under .localhost, plain HTTP."`
	TrustCA  string   `name:"trust-ca" placeholder:"FILE" help:"One more authority to trust, for names of one's own."`
	Resolve  []string `placeholder:"HOST=ADDR:PORT" help:"Where a name is to be dialled; those names alone pass the guard."`
	JSON     bool     `name:"json" help:"Print JSON, the result of hub.check@1."`
	Platform string   `arg:"" help:"The game's platform id."`
}

// Help is what kong shows below the flags.
func (checkCmd) Help() string {
	return "The checks are signed as a hub signs, so they need the key of the hub that the game was told to trust: " +
		"run one of your own beside the game and name its key file, the file called key in its data folder."
}

func (c checkCmd) Run(ctx context.Context, t *tool) error {
	mode := sgip.Mode{Local: c.Local, PlainHTTP: c.Local}
	for _, id := range []string{c.Platform, c.home()} {
		if !mode.ValidPlatform(id) {
			return fmt.Errorf("%s isn't a platform id; names under .localhost, with a port, need --local", id)
		}
	}
	signer, err := readKey(c.HubKey)
	if err != nil {
		return err
	}
	client, err := c.client(t, mode)
	if err != nil {
		return err
	}
	defer client.Close()
	suite := conformance.Suite{
		Mode: mode, Client: client, Hub: signer, Clock: t.now, NewID: t.newID,
		Passport: conformance.Traveller(signer, t.now, t.newID, c.home()),
	}
	served, err := suite.Fetch(ctx, c.Platform)
	if err != nil {
		return err
	}
	report, err := suite.Run(ctx, c.Platform, served)
	if err != nil {
		return err
	}
	return c.tell(t, report)
}

func (c checkCmd) home() string {
	if c.Home != "" {
		return c.Home
	}
	return c.Platform
}

func (c checkCmd) client(t *tool, mode sgip.Mode) (*outbound.Client, error) {
	resolve, err := outbound.ParseResolve(c.Resolve)
	if err != nil {
		return nil, fmt.Errorf("--resolve: %w", err)
	}
	var authority []byte
	if c.TrustCA != "" {
		if authority, err = os.ReadFile(c.TrustCA); err != nil {
			return nil, fmt.Errorf("--trust-ca: %w", err)
		}
	}
	return outbound.New(outbound.Options{Mode: mode, TrustCA: authority, Resolve: resolve, Clock: t.now})
}

func (c checkCmd) tell(t *tool, report sgip.CheckReport) error {
	if c.JSON {
		if err := t.print(report); err != nil {
			return err
		}
	} else if err := t.say(reportLines(report)...); err != nil {
		return err
	}
	if !report.Conforms {
		return wrong{errTold}
	}
	return nil
}

func reportLines(report sgip.CheckReport) []string {
	var lines []string
	for _, check := range report.Checks {
		mark := "pass"
		switch {
		case !check.Passed && check.Required:
			mark = "FAIL"
		case !check.Passed:
			mark = "warn"
		}
		lines = append(lines, fmt.Sprintf("%s  %-20s  %s", mark, check.Name, check.Detail))
	}
	if report.Conforms {
		return append(lines, report.PlatformID+" conforms")
	}
	return append(lines, report.PlatformID+" does not conform")
}
