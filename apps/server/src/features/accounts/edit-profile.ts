import { failure, type Problem, problem, problemSentence, type ProfileRequest, type Result, success, type User } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { checkRoom } from "./storage/room.ts";
import { mailHeldTexts } from "../notices/public.ts";
import { checkBirthDate } from "./domain/birth-date.ts";
import { presentUser } from "./present-user.ts";
import { loadAccount, lockAccount, type ProfileValues, updateProfile } from "./store.ts";

const AVATAR_SIDE_PX = 512;

/**
 * Changes the given parts of a profile. `avatarFile` wins over `avatar: null`, which removes the picture.
 * A picture that nobody shows any more is left to the sweep of stored files: another account may be storing the very same one now.
 */
export async function editProfile(
  platform: Platform,
  edit: { readonly userId: string; readonly values: ProfileRequest; readonly avatarFile: Uint8Array | null },
): Promise<Result<User, Problem>> {
  const now = platform.clock();
  const { values } = edit;
  const fault = values.birth_date ? checkBirthDate(values.birth_date, now) : null;
  if (fault !== null) return failure(problem("validation", { errors: { birth_date: [fault] } }));
  const avatar = await storeAvatar(platform, edit);
  if (!avatar.ok) return avatar;
  const profile = { ...columnsOf(values), ...avatar.value };
  return inTransaction<Result<User, Problem>>(platform.db, async (trx) => {
    const before = await lockAccount(trx, edit.userId);
    if (before === null) return failure(problem("session_expired"));
    await updateProfile(trx, { id: before.id, profile, now });
    const isOtherNumber = profile.phoneNumber !== undefined && profile.phoneNumber !== before.phoneNumber;
    if (isOtherNumber) await mailHeldTexts(trx, { userId: before.id, address: before.email, now });
    const account = await loadAccount(trx, before.id);
    return account === null ? failure(problem("session_expired")) : success(await presentUser(trx, account));
  });
}

async function storeAvatar(
  platform: Platform,
  edit: Parameters<typeof editProfile>[1],
): Promise<Result<Pick<ProfileValues, "avatarSha256">, Problem>> {
  if (edit.avatarFile === null) return success(edit.values.avatar === null ? { avatarSha256: null } : {});
  const fits = await checkRoom(platform, { ownerId: edit.userId, bytes: edit.avatarFile.length });
  if (!fits.ok) return fits;
  const image = await platform.images.reencode(edit.avatarFile, { maximumSidePx: AVATAR_SIDE_PX });
  if (image.ok) return success({ avatarSha256: await platform.files.put(image.value) });
  const { code } = image.error;
  // Under its field: the rest of the form is sound. An outage is nobody's field.
  const isItsFault = code === "invalid_image" || code === "image_too_large";
  return isItsFault ? failure({ ...image.error, errors: { avatar: [problemSentence(image.error)] } }) : image;
}

function columnsOf(values: ProfileRequest): ProfileValues {
  return {
    ...(values.first_name === undefined ? {} : { firstName: values.first_name }),
    ...(values.last_name === undefined ? {} : { lastName: values.last_name }),
    ...(values.birth_date === undefined ? {} : { birthDate: values.birth_date }),
    ...(values.phone_number === undefined ? {} : { phoneNumber: values.phone_number || null }),
    ...(values.gender === undefined ? {} : { gender: values.gender ?? "" }),
    ...(values.address === undefined ? {} : { address: values.address || null }),
  };
}
