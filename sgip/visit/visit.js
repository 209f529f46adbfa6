/*
The visit page's one script: takes a passport by message or by fragment
(protocol 7.2), hands it to this game's server and keeps the guest token in
memory. Load it first in <head>, as a plain script without defer or async.

It reads from <html>:
  data-home       platform id of the home game, from the launch URL
  data-home-name  how that game is called
  data-visit      visit id, from the launch URL
  data-origins    origins of the home game, by the hub's directory, separated by
                  spaces; empty when the home game is unknown
  data-session    POST address for a passport, "/visit/session"; the script adds
                  ?home=<data-home>&visit=<data-visit>
  data-leave      POST address for going home, "/visit/leave"; the visit is
                  written down as over before its ok comes back

It fires CustomEvents on document, none before DOMContentLoaded, so that
deferred scripts of the page miss nothing:
  sgip:question  { name, home, home_name, enter() }  a passport came by link: ask
                 "Enter as NAME of HOME?" and call enter() on yes. The names are
                 unverified text; show them as text only
  sgip:entered   { guest, token, expires_at, refreshed }  withdraw any question
  sgip:refused   { code, message, guest, retry() }  guest: a session still runs
  sgip:silent    { retry() }  nobody handed a passport over
  sgip:over      { reason }   the visit is over ("left", "expired", ...), or goes
                 on in another page ("moved")

It offers window.sgipVisit:
  token()        the current guest token, or ""; send it as
                 "Authorization: Bearer <token>"
  leave(reason)  goes home: posts to data-leave, then says sgip.exit
  exit(reason)   the server has ended the visit already: only says so; "moved"
                 for a visit that goes on in another page, which isn't over
*/
(function () {
  "use strict";

  var READY_TIMES = 10, READY_EVERY_MS = 1000;
  var REFRESH_LEFT_MS = 5 * 60 * 1000, REFRESH_EVERY_MS = 30 * 1000;
  var MAX_PASSPORT = 4096;

  var page = document.documentElement.dataset;
  var origins = (page.origins || "").split(/\s+/).filter(function (o) {
    return o !== "" && o !== "null";
  });
  var framed = window.parent !== window;
  var asked = framed ? window.parent : window.opener; // the only window listened to

  var guestToken = "", held = "", posting = "", next = null;
  var refused = new Set(); // passports that the server has refused for good
  var acceptedOrigin = ""; // where the held passport came from, "" for a fragment
  var expiresAt = 0, clockAhead = 0; // ms; how far the server's clock is ahead
  var over = false, leaving = false, readies = null;
  var asking = false; // a question about a fragment's passport is open
  var leaveNext = ""; // leave for this reason once the post under way is answered

  window.addEventListener("message", onMessage);
  takeFragment();
  window.addEventListener("hashchange", takeFragment);
  startReadies();
  window.setInterval(askForRefresh, REFRESH_EVERY_MS);

  window.sgipVisit = {
    token: function () { return guestToken; },
    leave: leave,
    exit: exit
  };

  // --- what comes in

  function onMessage(event) {
    if (!asked || event.source !== asked || !knownOrigin(event.origin)) return;
    var data = event.data;
    if (typeof data !== "object" || data === null) return;
    if (data.type === "sgip.passport" && isPassport(data.token)) {
      offer({ token: data.token, origin: event.origin });
    } else if (data.type === "sgip.leave") {
      acceptedOrigin = event.origin;
      leave("left");
    }
  }

  function knownOrigin(origin) {
    return origin !== "null" && origins.indexOf(origin) !== -1; // whole strings
  }

  function isPassport(token) {
    return typeof token === "string" && token.length <= MAX_PASSPORT &&
      /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
  }

  // takeFragment removes the fragment before anything can see it, then asks.
  function takeFragment() {
    var fragment = window.location.hash;
    if (fragment === "") return;
    var match = /^#passport=(.*)$/.exec(fragment);
    if (!match) return;
    window.history.replaceState(window.history.state, "",
      window.location.pathname + window.location.search);
    if (framed || !isPassport(match[1]) || match[1] === held) return;
    var token = match[1], claims = claimsOf(token);
    asking = true;
    fire("sgip:question", {
      name: text(claims.name) || text(claims.sub) || "?",
      home: text(claims.home) || page.home,
      home_name: claims.home === page.home ? page.homeName : text(claims.home),
      enter: function () { offer({ token: token, origin: "" }); }
    });
  }

  // claimsOf reads a token's claims without trusting them: the server verifies.
  function claimsOf(token) {
    try {
      var raw = window.atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/"));
      var bytes = Uint8Array.from(raw, function (c) { return c.charCodeAt(0); });
      var claims = JSON.parse(new TextDecoder().decode(bytes));
      return typeof claims === "object" && claims !== null ? claims : {};
    } catch (_) {
      return {};
    }
  }

  function text(value) {
    return typeof value === "string" ? value.slice(0, 200) : "";
  }

  // --- asking for a passport

  function startReadies() {
    var left = READY_TIMES;
    window.clearInterval(readies);
    if (!asked || origins.length === 0) return silent(function () { window.location.reload(); });
    function say() {
      if (over) {
        window.clearInterval(readies);
      } else if (left-- > 0) {
        sayReady();
      } else {
        window.clearInterval(readies);
        silent(startReadies);
      }
    }
    readies = window.setInterval(say, READY_EVERY_MS);
    say();
  }

  function silent(retry) {
    if (!asking && !posting) fire("sgip:silent", { retry: retry });
  }

  // sayReady goes to any origin because it carries nothing.
  function sayReady() {
    if (asked && !asked.closed) asked.postMessage({ type: "sgip.ready" }, "*");
  }

  function askForRefresh() {
    if (!guestToken || over) return;
    if (expiresAt - serverNow() < REFRESH_LEFT_MS) sayReady();
  }

  function serverNow() { return Date.now() + clockAhead; }

  // --- handing it to the server, one post at a time

  function offer(passport) {
    if (over || leaving || leaveNext) return;
    if (passport.token === held || passport.token === posting) return;
    if (refused.has(passport.token)) return;
    if (posting) { next = passport; return; }
    post(passport);
  }

  async function post(passport) {
    posting = passport.token;
    var bearer = guestToken;
    var answer = await send(sessionURL(), bearer, { passport: passport.token });
    posting = "";
    if (over) return;
    if (answer.ok) {
      entered(passport, answer.body, bearer !== "");
    } else {
      rejected(passport, answer);
    }
    var waiting = next;
    next = null;
    if (leaveNext) leave(leaveNext);
    else if (waiting) offer(waiting);
  }

  function sessionURL() {
    return page.session + "?home=" + encodeURIComponent(page.home) +
      "&visit=" + encodeURIComponent(page.visit);
  }

  function entered(passport, session, refreshed) {
    window.clearInterval(readies);
    asking = false;
    held = passport.token;
    acceptedOrigin = passport.origin;
    guestToken = session.token;
    expiresAt = session.expires_at * 1000;
    fire("sgip:entered", {
      guest: session.guest, token: guestToken,
      expires_at: session.expires_at, refreshed: refreshed
    });
  }

  function rejected(passport, answer) {
    if (!answer.retryable) refused.add(passport.token);
    // A token that no longer counts: the visit is over or in another page.
    if (guestToken && answer.code === "forbidden") guestToken = "";
    fire("sgip:refused", {
      code: answer.code, message: answer.message, guest: guestToken !== "",
      retry: function () {
        refused.delete(passport.token);
        if (passport.origin !== "") startReadies();
        offer(passport);
      }
    });
  }

  // send posts JSON and gives { ok, body } or { code, message, retryable }.
  async function send(url, bearer, body) {
    var headers = { "Content-Type": "application/json" };
    if (bearer) headers.Authorization = "Bearer " + bearer;
    try {
      var response = await fetch(url, {
        method: "POST", headers: headers, body: JSON.stringify(body),
        credentials: "omit", cache: "no-store", redirect: "error", keepalive: true
      });
      var date = Date.parse(response.headers.get("Date") || "");
      if (!isNaN(date)) clockAhead = date - Date.now();
      var answer = response.status === 204 ? {} : await response.json();
      if (response.ok) return { ok: true, body: answer };
      var error = answer.error || {};
      return {
        ok: false, code: text(error.code) || "internal",
        message: text(error.message) || "The game could not answer.",
        retryable: error.retryable === true
      };
    } catch (_) {
      return {
        ok: false, code: "platform_offline", retryable: true,
        message: "The game can't be reached just now."
      };
    }
  }

  // --- going home

  async function leave(reason) {
    if (over || leaving) return;
    if (posting) { leaveNext = reason || "left"; return; }
    leaveNext = "";
    leaving = true;
    if (guestToken) {
      var answer = await send(page.leave, guestToken, { reason: reason || "left" });
      leaving = false;
      if (!answer.ok && answer.code === "forbidden") {
        guestToken = "";
        fire("sgip:over", { reason: "moved" });
        return;
      }
      if (!answer.ok) {
        fire("sgip:refused", {
          code: answer.code, message: answer.message, guest: true,
          retry: function () { leave(reason); }
        });
        return;
      }
    }
    leaving = false;
    exit(reason || "left");
  }

  function exit(reason) {
    if (over) return;
    over = true;
    guestToken = "";
    window.clearInterval(readies);
    // A visit that goes on in another page isn't over: nothing is said at home.
    if (reason !== "moved" && asked && !asked.closed) {
      // After a fragment nobody knows which origin of the home game is open.
      (acceptedOrigin ? [acceptedOrigin] : origins).forEach(function (origin) {
        asked.postMessage({ type: "sgip.exit", visit_id: page.visit }, origin);
      });
    }
    fire("sgip:over", { reason: reason || "left" });
  }

  // --- telling the page

  function fire(name, detail) {
    function now() { document.dispatchEvent(new CustomEvent(name, { detail: detail })); }
    if (document.readyState === "loading") {
      document.addEventListener("DOMContentLoaded", now, { once: true });
    } else {
      now();
    }
  }
})();
