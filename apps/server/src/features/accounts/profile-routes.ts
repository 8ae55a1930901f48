import {
  accountAnswer,
  addressChangeRequest,
  addressConfirmRequest,
  detailAnswer,
  emptyAnswer,
  failure,
  notificationChoice,
  notificationsAnswer,
  notificationsRequest,
  notificationTrial,
  ownPasswordRequest,
  phoneCodeAnswer,
  phoneVerifyRequest,
  type Problem,
  problem,
  type ProfileRequest,
  profileRequest,
  pushKeyAnswer,
  pushSubscriptionRequest,
  pushUnsubscribeRequest,
  type Result,
  storageAnswer,
  success,
  userAnswer,
} from "@paraphe/contracts";
import { toBase64Url } from "@paraphe/kernel/bytes";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { MissingFileError } from "../../platform/files/file-store.ts";
import { sendProblem, sendResult, parseInput } from "../../platform/http/problem-reply.ts";
import { readMultipart } from "../../platform/http/read-multipart.ts";
import type { Platform } from "../../platform/platform.ts";
import { deletePushEndpoint, subscribeToPush } from "../notices/public.ts";
import type { AccountDeps } from "./account-deps.ts";
import { confirmAddress, requestAddressChange } from "./change-address.ts";
import { changeOwnPassword } from "./change-password.ts";
import {
  AVATAR_PATH,
  chooseNotifications,
  editProfile,
  behind,
  presentUser,
  readNotifications,
  sendTrial,
} from "./profile.ts";
import {
  clearSessionCookies,
  factorDayOf,
  requireSession,
  requireUser,
  signedInUser,
} from "./session-guard.ts";
import { readStorage } from "./storage-store.ts";
import { loadAccount } from "./store.ts";
import { sendPhoneCode, verifyPhone } from "./verify-phone.ts";

type AccountForm = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly avatarFile: Uint8Array | null;
};

/** Limits lie far above each field's own, so that validation names the field. */
const LIMITS = {
  files: 1,
  totalSizeBytes: 10 * 1024 * 1024,
  fields: 12,
  fieldSizeBytes: 65_536,
} as const;

const TOO_LARGE = "L’image est trop lourde\u00a0: 10\u00a0Mo au maximum.";

/** Reads JSON, or multipart with an optional `avatar`. */
export async function readAccountForm(request: FastifyRequest): Promise<Result<AccountForm>> {
  if (!request.isMultipart()) {
    const { body } = request;
    const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
    return isObject
      ? success({ values: body as Record<string, unknown>, avatarFile: null })
      : failure(problem("malformed_request"));
  }
  const form = await readMultipart(request, LIMITS);
  if (!form.ok) return failure(aboutPicture(form.error));
  const foreign = form.value.files.find((file) => file.field !== "avatar");
  if (foreign)
    return failure(problem("validation", { errors: { [foreign.field]: ["Champ inconnu"] } }));
  const file = form.value.files[0];
  return success({
    values: form.value.fields,
    avatarFile: file && file.bytes.length > 0 ? file.bytes : null,
  });
}

/** Only the picture can make a body too large. */
function aboutPicture(refusal: Problem): Problem {
  const errors = { avatar: [TOO_LARGE] };
  if (refusal.code === "envelope_too_large") return problem("request_too_large", { errors });
  return refusal.code === "file_too_large" ? { ...refusal, errors } : refusal;
}

const ME = "/api/signature/me";
/** A form has no null, so its empty fields mean null. */
const EMPTY_IS_NULL = new Set(["birth_date", "phone_number", "gender", "address", "avatar"]);

export function profileRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.get(
      `${ME}/`,
      { onRequest: requireSession(platform), schema: { response: { 200: accountAnswer } } },
      async (request, reply) => {
        const caller = signedInUser(request);
        const account = await loadAccount(platform.db, caller.id);
        if (account === null) return sendProblem(reply, problem("session_expired"));
        const user = { ...(await presentUser(platform.db, account)), ...factorDayOf(request) };
        if (caller.key_scopes === undefined) return reply.send({ user });
        const { holder, key_id: id = "", program: name = "", key_scopes } = caller;
        const person = { kind: "person" as const, id: caller.id, name: caller.full_name };
        return reply.send({
          user: holder === undefined ? user : behind(user, caller),
          key: { id, name, holder: holder ?? person, scopes: [...key_scopes] },
        });
      },
    );

    const edit = {
      onRequest,
      attachValidation: true,
      schema: {
        consumes: ["application/json", "multipart/form-data"],
        body: profileRequest,
        files: { avatar: "optional" as const },
        response: { 200: userAnswer },
      },
    };
    app.patch(`${ME}/`, edit, async (request, reply) => {
      const form = await readProfile(request);
      if (!form.ok) return sendProblem(reply, form.error);
      const result = await editProfile(platform, {
        userId: signedInUser(request).id,
        ...form.value,
      });
      return sendResult(reply, result, { present: (user) => ({ user }) });
    });

    app.get(
      AVATAR_PATH,
      { onRequest, schema: { produces: ["image/webp"] } },
      async (request, reply) => {
        const account = await loadAccount(platform.db, signedInUser(request).id);
        const bytes = account?.avatarSha256
          ? await readAvatar(platform, account.avatarSha256)
          : null;
        if (bytes === null) return sendProblem(reply, problem("not_found"));
        return reply
          .type("image/webp")
          .header("cache-control", "private, max-age=86400")
          .send(Buffer.from(bytes));
      },
    );

    app.post(
      `${ME}/password/`,
      { onRequest, schema: { body: ownPasswordRequest, response: { 200: emptyAnswer } } },
      async (request, reply) => {
        const { old_password: oldPassword, new_password: newPassword } = request.body;
        const result = await changeOwnPassword(deps, {
          user: signedInUser(request),
          oldPassword,
          newPassword,
        });
        if (
          !result.ok &&
          (result.error.code === "session_expired" || result.error.code === "wrong_passwords")
        )
          clearSessionCookies(reply);
        return sendResult(reply, result, { present: () => ({}) });
      },
    );

    app.get(
      `${ME}/notifications/`,
      { onRequest, schema: { response: { 200: notificationsAnswer } } },
      async (request, reply) => {
        const kept = await readNotifications(platform, signedInUser(request).id);
        return kept === null ? sendProblem(reply, problem("session_expired")) : reply.send(kept);
      },
    );

    app.get(
      `${ME}/storage/`,
      { onRequest, schema: { response: { 200: storageAnswer } } },
      async (request, reply) => reply.send(await readStorage(platform, signedInUser(request).id)),
    );

    const choose = {
      onRequest,
      schema: { body: notificationsRequest, response: { 200: notificationChoice } },
    };
    app.put(`${ME}/notifications/`, choose, async (request, reply) =>
      sendResult(
        reply,
        await chooseNotifications(platform, {
          userId: signedInUser(request).id,
          wanted: request.body,
        }),
      ),
    );

    app.post(
      `${ME}/notifications/test/`,
      { onRequest, schema: { response: { 202: notificationTrial } } },
      async (request, reply) =>
        sendResult(reply, await sendTrial(platform, signedInUser(request).id), { status: 202 }),
    );
  };
}

/** Gives null once the picture was replaced. */
async function readAvatar(platform: Platform, sha256: Uint8Array): Promise<Uint8Array | null> {
  return platform.files.get(sha256).catch((error: unknown) => {
    if (error instanceof MissingFileError) return null;
    throw error;
  });
}

async function readProfile(
  request: FastifyRequest,
): Promise<Result<{ values: ProfileRequest; avatarFile: Uint8Array | null }>> {
  const form = await readAccountForm(request);
  if (!form.ok) return form;
  const sent = Object.entries(form.value.values).map(([name, value]) => [
    name,
    value === "" && EMPTY_IS_NULL.has(name) ? null : value,
  ]);
  const values = parseInput(profileRequest, Object.fromEntries(sent));
  return values.ok
    ? success({ values: values.value, avatarFile: form.value.avatarFile })
    : failure(values.error);
}

const EMAIL = "/api/signature/me/email";
const ASKED =
  "Si cette adresse peut être la vôtre, un lien de confirmation y a été envoyé. Il est valable 24\u00a0heures.";

export function addressRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    const ask = {
      onRequest,
      schema: { body: addressChangeRequest, response: { 202: detailAnswer } },
    };
    app.post(`${EMAIL}/`, ask, async (request, reply) => {
      const result = await requestAddressChange(deps, {
        user: signedInUser(request),
        ...request.body,
      });
      if (
        !result.ok &&
        (result.error.code === "session_expired" || result.error.code === "wrong_passwords")
      )
        clearSessionCookies(reply);
      return sendResult(reply, result, { status: 202, present: () => ({ detail: ASKED }) });
    });

    const confirm = {
      onRequest,
      schema: { body: addressConfirmRequest, response: { 200: userAnswer } },
    };
    app.post(`${EMAIL}/confirm/`, confirm, async (request, reply) => {
      const result = await confirmAddress(platform, {
        userId: signedInUser(request).id,
        token: request.body.token,
      });
      return sendResult(reply, result, { present: (user) => ({ user }) });
    });
  };
}

const PHONE = "/api/signature/me/phone";

export function phoneRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.post(
      `${PHONE}/send-code/`,
      { onRequest, schema: { response: { 200: phoneCodeAnswer } } },
      async (request, reply) =>
        sendResult(reply, await sendPhoneCode(platform, signedInUser(request).id)),
    );

    const verify = {
      onRequest,
      schema: { body: phoneVerifyRequest, response: { 200: userAnswer } },
    };
    app.post(`${PHONE}/verify/`, verify, async (request, reply) => {
      const result = await verifyPhone(platform, {
        userId: signedInUser(request).id,
        code: request.body.code,
      });
      return sendResult(reply, result, { present: (user) => ({ user }) });
    });
  };
}

const SUBSCRIPTIONS = "/api/signature/me/push-subscriptions/";

export function pushSubscriptionRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.get(
      SUBSCRIPTIONS,
      { onRequest, schema: { response: { 200: pushKeyAnswer } } },
      async (_request, reply) =>
        reply.send({
          public_key: toBase64Url(await platform.push.publicKey()),
        }),
    );

    const subscribe = {
      onRequest,
      schema: { body: pushSubscriptionRequest, response: { 201: emptyAnswer } },
    };
    app.post(SUBSCRIPTIONS, subscribe, async (request, reply) => {
      const user = signedInUser(request);
      const result = await subscribeToPush(platform, {
        userId: user.id,
        sessionId: user.session_id,
        subscription: request.body,
      });
      return sendResult(reply, result, { status: 201, present: () => ({}) });
    });

    app.delete(
      SUBSCRIPTIONS,
      { onRequest, schema: { body: pushUnsubscribeRequest } },
      async (request, reply) => {
        await deletePushEndpoint(platform.db, {
          userId: signedInUser(request).id,
          endpoint: request.body.endpoint,
        });
        return reply.code(204).send();
      },
    );
  };
}
