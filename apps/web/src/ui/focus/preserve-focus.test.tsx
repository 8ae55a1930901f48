import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { preserveFocus } from "./preserve-focus.ts";

let stop: () => void;
beforeEach(() => {
  stop = preserveFocus(document);
});
afterEach(() => stop());

/** Waits for the mutation observer, then for two frames. */
async function settle() {
  await act(() => new Promise<void>((done) => setTimeout(done, 60)));
}

function Files({ names }: { readonly names: readonly string[] }) {
  const [left, setLeft] = useState(names);
  return (
    <main>
      <h1>Documents</h1>
      <section>
        <h2>Fichiers PDF</h2>
        <ul>
          {left.map((name) => (
            <li key={name}>
              {left.length > 1 && <button type="button">{`Déplacer ${name}`}</button>}
              <button
                type="button"
                onClick={() => setLeft(left.filter((other) => other !== name))}
              >{`Retirer ${name}`}</button>
            </li>
          ))}
        </ul>
      </section>
    </main>
  );
}

test("the next row takes the focus of a removed one on the same control, else the previous row, else the heading", async () => {
  render(<Files names={["a", "b", "c"]} />);
  screen.getByText("Retirer b").focus();
  await userEvent.keyboard("{Enter}");
  await settle();
  expect(document.activeElement?.textContent).toBe("Retirer c");
  await userEvent.keyboard("{Enter}");
  await settle();
  expect(document.activeElement?.textContent).toBe("Retirer a");
  await userEvent.keyboard("{Enter}");
  await settle();
  expect(document.activeElement?.textContent).toBe("Fichiers PDF");
});

function Phone() {
  const [shown, setShown] = useState(false);
  return shown ? (
    <label>
      Téléphone
      <input />
    </label>
  ) : (
    <button type="button" onClick={() => setShown(true)}>
      Ajouter un téléphone
    </button>
  );
}

test("the replacement of a control takes its focus", async () => {
  render(
    <main>
      <h1>Destinataires</h1>
      <Phone />
      <button type="button">Après</button>
    </main>,
  );
  screen.getByText("Ajouter un téléphone").focus();
  await userEvent.keyboard("{Enter}");
  await settle();
  expect(document.activeElement).toBe(screen.getByLabelText("Téléphone"));
});

function List() {
  const [loading, setLoading] = useState(false);
  return (
    <main>
      <h1>Envoyées</h1>
      <button type="button">Nouvelle enveloppe</button>
      {loading ? (
        <p>Chargement</p>
      ) : (
        <div role="alert">
          <button type="button" onClick={() => setLoading(true)}>
            Réessayer
          </button>
        </div>
      )}
    </main>
  );
}

test("a page that loads again in the place of its error gives the focus to its title", async () => {
  render(<List />);
  screen.getByText("Réessayer").focus();
  await userEvent.keyboard("{Enter}");
  await settle();
  expect(document.activeElement).toBe(screen.getByRole("heading", { level: 1 }));
});

function Notice() {
  const [shown, setShown] = useState(true);
  return (
    <main>
      <h1>Mon compte</h1>
      <div>
        {shown && (
          <button type="button" onClick={() => setShown(false)}>
            Confirmer
          </button>
        )}
        <section>
          <h2>Apparence</h2>
        </section>
      </div>
    </main>
  );
}

test("a heading after what was removed is passed over for the one before", async () => {
  render(<Notice />);
  screen.getByText("Confirmer").focus();
  await userEvent.keyboard("{Enter}");
  await settle();
  expect(document.activeElement?.textContent).toBe("Mon compte");
});

test("a focus that other code placed first stays", async () => {
  const { rerender } = render(<Files key="before" names={["a", "b"]} />);
  screen.getByText("Retirer a").focus();
  rerender(
    <main key="after">
      <h1>Autre page</h1>
      <button type="button">Choisi</button>
    </main>,
  );
  await act(() => new Promise<void>((done) => requestAnimationFrame(() => done())));
  screen.getByText("Choisi").focus();
  await settle();
  expect(document.activeElement?.textContent).toBe("Choisi");
});

test("a reader who left the control by a press on the page is not brought back", async () => {
  const { rerender } = render(<Files key="before" names={["a", "b"]} />);
  screen.getByText("Retirer a").focus();
  await userEvent.click(screen.getByRole("heading", { level: 1 }));
  expect(document.activeElement).toBe(document.body);
  rerender(<Files key="after" names={["b"]} />);
  await settle();
  expect(document.activeElement).toBe(document.body);
});
