import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ComponentType, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lazyPart, lazyStep } from "./lazy-step.tsx";

type Props = { readonly title: string };
const Step = ({ title }: Props) => <h1>{title}</h1>;
const failure = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => undefined));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function show(Part: ComponentType<Props>) {
  function Page() {
    const [typed, setTyped] = useState("");
    return (
      <>
        <input
          aria-label="Titre"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Part title={typed} />
      </>
    );
  }
  render(<Page />);
}
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

test("a step that does not load says so in its place, loses nothing typed, and loads later", async () => {
  const load = vi.fn(failure as () => Promise<ComponentType<Props>>);
  const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  show(lazyStep(load, "Chargement de l’étape"));
  await screen.findByText("Cette partie de la page n’a pas pu être chargée.");
  expect(screen.getByRole("main").id).toBe("contenu");
  expect(load).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText("Titre"), "Bail");
  online.mockReturnValue(true);
  load.mockResolvedValueOnce(Step);
  await press("Réessayer");
  await screen.findByRole("heading", { name: "Bail" });
  expect(screen.getByLabelText<HTMLInputElement>("Titre").value).toBe("Bail");
});

test("a second failure offers to reload the page", async () => {
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  show(lazyPart(failure, <p>Place gardée</p>));
  expect(screen.getByText("Place gardée")).toBeTruthy();
  await screen.findByText("Cette partie de la page n’a pas pu être chargée.");
  expect(screen.queryByRole("button", { name: "Recharger la page" })).toBeNull();
  await press("Réessayer");
  await screen.findByRole("button", { name: "Recharger la page" });
  await press("Recharger la page");
  expect(reload).toHaveBeenCalledOnce();
});

test("after a deployment the first failure offers to reload the page", async () => {
  const own = document.createElement("script");
  own.setAttribute("src", "/assets/index-A.js");
  vi.spyOn(document, "querySelector").mockReturnValue(own);
  vi.stubGlobal(
    "fetch",
    async () => new Response('<script type="module" src="/assets/index-B.js"></script>'),
  );
  show(lazyPart(failure, null));
  await screen.findByText("Une nouvelle version du service est en ligne.");
  expect(screen.getByRole("button", { name: "Recharger la page" })).toBeTruthy();
});

test("a preloaded part is shown at once, and a failed preload is tried again when it is shown", async () => {
  const load = vi.fn(async (): Promise<ComponentType<Props>> => Step);
  const Ready = lazyStep(load, "Chargement de l’étape");
  Ready.preload();
  await vi.waitFor(() => expect(load).toHaveBeenCalledOnce());
  await act(async () => undefined);
  render(<Ready title="Prête" />);
  expect(screen.getByRole("heading", { name: "Prête" })).toBeTruthy();
  const late = vi.fn(failure as () => Promise<ComponentType<Props>>);
  const Late = lazyStep(late, "Chargement de l’étape");
  Late.preload();
  await vi.waitFor(() => expect(late).toHaveBeenCalledOnce());
  late.mockResolvedValueOnce(Step);
  render(<Late title="Tardive" />);
  await screen.findByRole("heading", { name: "Tardive" });
});
