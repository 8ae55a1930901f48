// Sends a PDF, waits for the webhook that says everybody has signed, and keeps the signed file with
// its evidence file. PARAPHE_URL, PARAPHE_KEY, PARAPHE_WEBHOOK_SECRET, PORT; node send.ts Bail.pdf
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createParaphe, verifyWebhook } from "@paraphe/sdk";

const { PARAPHE_URL = "", PARAPHE_KEY = "", PARAPHE_WEBHOOK_SECRET = "", PORT } = process.env;
const paraphe = createParaphe({ url: PARAPHE_URL, key: PARAPHE_KEY });

const server = createServer(async (request, response) => {
  try {
    const { headers } = request;
    const body = Buffer.concat(await request.toArray());
    const event = await verifyWebhook({ body, headers, secrets: PARAPHE_WEBHOOK_SECRET });
    // Answered first: the service waits five seconds. A repeated event does no harm here.
    response.writeHead(204).end();
    if (event.type === "envelope.completed" && event.data.id === id) await keep();
  } catch (error) {
    response.writeHead(401).end(String(error));
  }
});

async function keep(): Promise<void> {
  await writeFile(`${id}.pdf`, (await paraphe.download({ id })).bytes);
  const evidence = await paraphe.getEnvelopeEvidence({ id });
  await writeFile(`${id}-preuve.pdf`, new Uint8Array(await evidence.arrayBuffer()));
  server.close();
}

server.listen(Number(PORT ?? 8080));
const { id } = await paraphe.createEnvelope({
  title: process.env["TITLE"] ?? "Bail",
  recipients: [{ full_name: "Paul Morel", email: "paul.morel@exemple.fr" }],
  files: [{ name: "Bail.pdf", content: await readFile(process.argv[2] ?? "Bail.pdf") }],
  send: true,
});
