import { makeContract } from "./make-contract.ts";
import type { useSenderStage } from "./sender-stage.ts";
import * as story from "./story.ts";

export type Printed = {
  readonly envelope: string;
  readonly url: string;
  readonly printable: string;
  readonly verify: string;
};
type Wanted = { readonly title: string; readonly guest: story.Guest; readonly isSigned: boolean };

/** Sends an envelope to a guest, who signs it or not, and makes a print of it. `verify`: the path of its proof. */
export async function makePrint(
  stage: ReturnType<typeof useSenderStage>,
  { title, guest, isSigned }: Wanted,
): Promise<Printed> {
  const { id } = await story.createEnvelope(stage.sender, {
    title,
    pdf: await makeContract(title),
    guests: [guest],
  });
  await story.sendEnvelope(stage.sender, id);
  if (isSigned) {
    const world = { url: stage.server.url, mails: stage.mails };
    const visit = await story.openInvitation(world, guest, id);
    await story.confirmGuest(world, visit);
    await story.signAsGuest(visit, story.DRAWN);
    visit.client.close();
  }
  const { json } = story.expectStatus(
    await stage.sender.post("/api/signature/prints/generate/", {
      json: { envelope: id, qr_type: "page" },
    }),
    201,
    "print",
  );
  return {
    envelope: id,
    url: json.verify_url,
    printable: json.printable_url,
    verify: json.proof_url.replace("/proof/", "/verify/"),
  };
}
