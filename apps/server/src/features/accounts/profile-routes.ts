import {
  emptyAnswer,
  failure,
  notificationChoice,
  notificationsAnswer,
  notificationsRequest,
  notificationTrial,
  ownPasswordRequest,
  problem,
  type ProfileRequest,
  profileRequest,
  type Result,
  storageAnswer,
  success,
  userAnswer,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { MissingFileError } from "../../platform/files/file-store.ts";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import { parseInput } from "../../platform/http/validation-problem.ts";
import type { Platform } from "../../platform/platform.ts";
import { readStorage } from "./storage/read-storage.ts";
import type { AccountDeps } from "./account-deps.ts";
import { readAccountForm } from "./account-form-guard.ts";
import { changeOwnPassword } from "./change-own-password.ts";
import { chooseNotifications } from "./choose-notifications.ts";
import { editProfile } from "./edit-profile.ts";
import { AVATAR_PATH, presentUser } from "./present-user.ts";
import { readNotifications } from "./read-notifications.ts";
import { sendTrial } from "./send-trial.ts";
import { clearSessionCookies } from "./session-cookies-guard.ts";
import { requireUser, signedInUser } from "./session-guard.ts";
import { loadAccount } from "./store.ts";

const ME = "/api/signature/me";
/** Profile fields that a form can only send as text: empty means none. */
const EMPTY_IS_NULL = new Set(["birth_date", "phone_number", "gender", "address", "avatar"]);

/** One's own account, contract §3. */
export function profileRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.get(`${ME}/`, { onRequest, schema: { response: { 200: userAnswer } } }, async (request, reply) => {
      const account = await loadAccount(platform.db, signedInUser(request).id);
      if (account === null) return sendProblem(reply, problem("session_expired"));
      return reply.send({ user: await presentUser(platform.db, account) });
    });

    const edit = { onRequest, attachValidation: true, schema: { body: profileRequest, response: { 200: userAnswer } } };
    app.patch(`${ME}/`, edit, async (request, reply) => {
      const form = await readProfile(request);
      if (!form.ok) return sendProblem(reply, form.error);
      const result = await editProfile(platform, { userId: signedInUser(request).id, ...form.value });
      return sendResult(reply, result, { present: (user) => ({ user }) });
    });

    app.get(AVATAR_PATH, { onRequest }, async (request, reply) => {
      const account = await loadAccount(platform.db, signedInUser(request).id);
      const bytes = account?.avatarSha256 ? await readAvatar(platform, account.avatarSha256) : null;
      if (bytes === null) return sendProblem(reply, problem("not_found"));
      return reply.type("image/webp").header("cache-control", "private, max-age=86400").send(Buffer.from(bytes));
    });

    app.post(
      `${ME}/password/`,
      { onRequest, schema: { body: ownPasswordRequest, response: { 200: emptyAnswer } } },
      async (request, reply) => {
        const { old_password: oldPassword, new_password: newPassword } = request.body;
        const result = await changeOwnPassword(deps, { user: signedInUser(request), oldPassword, newPassword });
        if (!result.ok && (result.error.code === "session_expired" || result.error.code === "wrong_passwords")) clearSessionCookies(reply);
        return sendResult(reply, result, { present: () => ({}) });
      },
    );

    app.get(`${ME}/notifications/`, { onRequest, schema: { response: { 200: notificationsAnswer } } }, async (request, reply) => {
      const kept = await readNotifications(platform, signedInUser(request).id);
      return kept === null ? sendProblem(reply, problem("session_expired")) : reply.send(kept);
    });

    app.get(`${ME}/storage/`, { onRequest, schema: { response: { 200: storageAnswer } } }, async (request, reply) =>
      reply.send(await readStorage(platform, signedInUser(request).id)),
    );

    const choose = { onRequest, schema: { body: notificationsRequest, response: { 200: notificationChoice } } };
    app.put(`${ME}/notifications/`, choose, async (request, reply) =>
      sendResult(reply, await chooseNotifications(platform, { userId: signedInUser(request).id, wanted: request.body })),
    );

    app.post(`${ME}/notifications/test/`, { onRequest, schema: { response: { 202: notificationTrial } } }, async (request, reply) =>
      sendResult(reply, await sendTrial(platform, signedInUser(request).id), { status: 202 }),
    );
  };
}

/** A picture removed while it was asked for is no outage. */
async function readAvatar(platform: Platform, sha256: Uint8Array): Promise<Uint8Array | null> {
  return platform.files.get(sha256).catch((error: unknown) => {
    if (error instanceof MissingFileError) return null;
    throw error;
  });
}

async function readProfile(request: FastifyRequest): Promise<Result<{ values: ProfileRequest; avatarFile: Uint8Array | null }>> {
  const form = await readAccountForm(request);
  if (!form.ok) return form;
  const sent = Object.entries(form.value.values).map(([name, value]) => [name, value === "" && EMPTY_IS_NULL.has(name) ? null : value]);
  const values = parseInput(profileRequest, Object.fromEntries(sent));
  return values.ok ? success({ values: values.value, avatarFile: form.value.avatarFile }) : failure(values.error);
}
