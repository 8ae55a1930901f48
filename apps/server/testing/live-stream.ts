import { request as httpRequest } from "node:http";
import { connect } from "node:http2";
import { LIVE_PATH } from "@paraphe/contracts";

export type LiveEvent = { readonly name: string; readonly data: Readonly<Record<string, unknown>> };

export type TestStream = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly events: readonly LiveEvent[];
  /** Includes comments. */
  text(): string;
  /** The server closed it. */
  hasEnded(): boolean;
  close(): void;
};

type Received = { text: string; ended: boolean };

/** HTTP/1.1, or HTTP/2 on an `https:` address. */
export function openStream(
  url: string,
  browser: { readonly cookies: ReadonlyMap<string, { readonly value: string }> },
  headers: Record<string, string> = {},
): Promise<TestStream> {
  const cookie = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const sent = { cookie, accept: "text/event-stream", ...headers };
  return url.startsWith("https:") ? openOverHttp2(url, sent) : openOverHttp1(url, sent);
}

function openOverHttp1(url: string, headers: Record<string, string>): Promise<TestStream> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(LIVE_PATH, url), { headers }, (response) => {
      const received = receive(response.setEncoding("utf8"));
      resolve(
        streamOf(received, {
          status: response.statusCode ?? 0,
          headers: response.headers,
          close: () => response.destroy(),
        }),
      );
    });
    sent.on("error", reject).end();
  });
}

function openOverHttp2(url: string, headers: Record<string, string>): Promise<TestStream> {
  const session = connect(url, { rejectUnauthorized: false });
  return new Promise((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({ ":path": LIVE_PATH, ...headers });
    stream.on("error", reject).on("response", (answered) => {
      const received = receive(stream.setEncoding("utf8"));
      stream.once("end", () => session.close());
      resolve(
        streamOf(received, {
          status: Number(answered[":status"]),
          headers: answered,
          close: () => session.destroy(),
        }),
      );
    });
    stream.end();
  });
}

function receive(source: NodeJS.EventEmitter): Received {
  const received: Received = { text: "", ended: false };
  source.on("data", (chunk: string) => (received.text += chunk));
  for (const name of ["end", "close", "error"]) source.on(name, () => (received.ended = true));
  return received;
}

function streamOf(
  received: Received,
  rest: Pick<TestStream, "status" | "headers" | "close">,
): TestStream {
  return {
    ...rest,
    get events() {
      return [...received.text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(
        ([, name = "", data = ""]) => ({
          name,
          data: JSON.parse(data),
        }),
      );
    },
    text: () => received.text,
    hasEnded: () => received.ended,
  };
}
