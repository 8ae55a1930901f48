import { Readable } from "node:stream";
import {
  contactDoubles,
  contactImportAnswer,
  contactImportSchema,
  contactRequest,
  contactsAnswer,
  contactsApartRequest,
  contactSchema,
  contactSettings,
  contactsQuery,
  idSchema,
  knownDomainsAnswer,
  MAX_IMPORT_SIZE_BYTES,
  mergeContactsRequest,
  startImportRequest,
  suggestionsAnswer,
  suggestionsQuery,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { visibilityFirst, sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { readMultipart } from "../../../platform/http/read-multipart.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireWorkToWrite, signedInUser } from "../../accounts/public.ts";
import { holdersOf } from "../../organisations/public.ts";
import {
  addContact,
  changeContact,
  eraseContact,
  exportCsv,
  listContacts,
  listDoubles,
  listKnownDomains,
  mergeContacts,
  readContact,
  separateContacts,
  suggestRecipients,
} from "./contacts.ts";
import {
  beginImport,
  faultsCsv,
  forgetImport,
  prepareImport,
  presentImport,
} from "./import-contacts.ts";
import { refuse } from "./parse-contacts.ts";
import { checkListedTeam } from "../domain/draft-checks.ts";
import { selectKeepsSent, upsertKeepsSent } from "./store.ts";

const CONTACTS = "/api/signature/contacts/";
const CONTACT = `${CONTACTS}:id/`;
const RECIPIENTS = "/api/signature/recipients/";
const params = z.strictObject({ id: idSchema });
const one = { 200: contactSchema };
const csv = { produces: ["text/csv"] };
const LIMITS = {
  files: 1,
  fileSizeBytes: MAX_IMPORT_SIZE_BYTES,
  totalSizeBytes: MAX_IMPORT_SIZE_BYTES,
  fields: 0,
};

/** Imports and doubles concern the account's own contacts. */
export function contactRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    visibilityFirst(scope, (request, id) => readContact(platform.db, held(request, id)));

    const list = { querystring: contactsQuery, response: { 200: contactsAnswer } };
    app.get(CONTACTS, { onRequest, schema: list }, async (request, reply) => {
      const user = signedInUser(request);
      const listed = checkListedTeam(user, request.query.team);
      if (!listed.ok) return sendProblem(reply, listed.error);
      return secret(reply).send(await listContacts(platform.db, { ...request.query, user }));
    });

    const added = { body: contactRequest, response: { 201: contactSchema } };
    app.post(CONTACTS, { onRequest, schema: added }, async (request, reply) =>
      sendResult(
        reply,
        await addContact(platform, { user: signedInUser(request), request: request.body }),
        { status: 201 },
      ),
    );

    const changed = { params, body: contactRequest, response: one };
    app.put(CONTACT, { onRequest, schema: changed }, async (request, reply) => {
      const change = { id: request.params.id, user: signedInUser(request), request: request.body };
      return sendResult(reply, await changeContact(platform, change));
    });

    app.delete(CONTACT, { onRequest, schema: { params } }, async (request, reply) => {
      const erased = await eraseContact(platform.db, held(request, request.params.id));
      return erased.ok ? reply.code(204).send() : sendProblem(reply, erased.error);
    });

    app.get(`${CONTACTS}export/`, { onRequest, schema: csv }, async (request, reply) =>
      sendCsv(reply, {
        name: "contacts.csv",
        text: Readable.from(exportCsv(platform.db, holdersOf(signedInUser(request)))),
      }),
    );

    await scope.register(settingRoutes(platform));
    await scope.register(doubleRoutes(platform));
    await scope.register(importRoutes(platform));
    await scope.register(typingRoutes(platform));
  };
}

function owner(request: FastifyRequest) {
  return { ownerId: signedInUser(request).id };
}

function holders(request: FastifyRequest) {
  return { holders: holdersOf(signedInUser(request)) };
}

function held(request: FastifyRequest, id: string) {
  return { id, ...holders(request) };
}

function secret(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "private, no-store");
}

function sendCsv(
  reply: FastifyReply,
  { name, text }: { readonly name: string; readonly text: string | Readable },
): FastifyReply {
  return secret(reply)
    .type("text/csv; charset=utf-8")
    .header("content-disposition", `attachment; filename="${name}"`)
    .send(text);
}

function settingRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    const address = `${CONTACTS}settings/`;
    const response = { 200: contactSettings };

    app.get(address, { onRequest, schema: { response } }, async (request) => ({
      keeps_sent: await selectKeepsSent(platform.db, signedInUser(request).id),
    }));

    app.put(
      address,
      { onRequest, schema: { body: contactSettings, response } },
      async (request) => {
        const keepsSent = request.body.keeps_sent;
        await upsertKeepsSent(platform.db, { ...owner(request), keepsSent });
        return request.body;
      },
    );
  };
}

function doubleRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    const doubles = `${CONTACTS}doubles/`;

    app.get(
      doubles,
      { onRequest, schema: { response: { 200: contactDoubles } } },
      async (request, reply) =>
        secret(reply).send(await listDoubles(platform.db, signedInUser(request).id)),
    );

    app.post(
      `${doubles}merge/`,
      { onRequest, schema: { body: mergeContactsRequest, response: one } },
      async (request, reply) =>
        sendResult(reply, await mergeContacts(platform, { ...request.body, ...owner(request) })),
    );

    app.post(
      `${doubles}apart/`,
      { onRequest, schema: { body: contactsApartRequest } },
      async (request, reply) => {
        const apart = await separateContacts(platform, { ...request.body, ...owner(request) });
        return apart.ok ? reply.code(204).send() : sendProblem(reply, apart.error);
      },
    );
  };
}

/** An account has one import, so it has no id. */
function importRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    const address = `${CONTACTS}import/`;
    const response = { 200: contactImportSchema };

    app.get(
      address,
      { onRequest, schema: { response: { 200: contactImportAnswer } } },
      async (request, reply) => {
        const shown = await presentImport(platform, signedInUser(request).id);
        return secret(reply).send({ import: shown.ok ? shown.value : null });
      },
    );

    app.post(
      address,
      {
        onRequest,
        attachValidation: true,
        schema: {
          consumes: ["multipart/form-data"],
          body: z.strictObject({}),
          files: { file: "one" },
          response: { 201: contactImportSchema },
        },
      },
      async (request, reply) => {
        const form = await readMultipart(request, LIMITS);
        if (!form.ok) return sendProblem(reply, form.error);
        const [file] = form.value.files;
        const prepared =
          file === undefined
            ? refuse("empty")
            : await prepareImport(platform, { ...owner(request), file });
        return sendResult(reply, prepared, { status: 201 });
      },
    );

    app.post(
      `${address}start/`,
      { onRequest, schema: { body: startImportRequest, response } },
      async (request, reply) =>
        sendResult(reply, await beginImport(platform, { ...owner(request), ...request.body })),
    );

    app.delete(address, { onRequest }, async (request, reply) => {
      const forgotten = await forgetImport(platform, signedInUser(request).id);
      return forgotten.ok ? reply.code(204).send() : sendProblem(reply, forgotten.error);
    });

    app.get(`${address}faults/`, { onRequest, schema: csv }, async (request, reply) => {
      const faults = await faultsCsv(platform, signedInUser(request).id);
      return faults.ok
        ? sendCsv(reply, { name: "contacts-a-revoir.csv", text: faults.value })
        : sendProblem(reply, faults.error);
    });
  };
}

function typingRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);

    app.get(
      `${RECIPIENTS}suggestions/`,
      {
        onRequest,
        schema: { querystring: suggestionsQuery, response: { 200: suggestionsAnswer } },
      },
      async (request, reply) => {
        const { search } = request.query;
        const { id, key_id } = signedInUser(request);
        const results = await suggestRecipients(platform, {
          memberId: key_id === undefined ? id : null,
          ...holders(request),
          search,
        });
        return secret(reply).send({ results: [...results] });
      },
    );

    app.get(
      `${RECIPIENTS}domains/`,
      { onRequest, schema: { response: { 200: knownDomainsAnswer } } },
      async (request, reply) => {
        const results = await listKnownDomains(platform, holdersOf(signedInUser(request)));
        return secret(reply).send({ results: [...results] });
      },
    );
  };
}
