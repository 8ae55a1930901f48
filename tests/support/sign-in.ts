import { expect, type Page } from "@playwright/test";
import { PASSWORD } from "./story.ts";

/** Opens a session in this browser by the API; the page stays. */
export async function signIn(
  page: Page,
  { url, username }: { readonly url: string; readonly username: string },
): Promise<void> {
  const context = page.context();
  await context.request.get(`${url}/api/verify-token/`);
  const csrf = (await context.cookies(url)).find(({ name }) => name === "csrftoken");
  const answer = await context.request.post(`${url}/api/token/`, {
    data: { username, password: PASSWORD, remember_me: false },
    headers: { "x-csrftoken": decodeURIComponent(csrf?.value ?? "") },
  });
  expect(answer.status(), await answer.text()).toBe(200);
}
