import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router";
import { renderPart } from "../../testing/page.tsx";
import { PreparePage } from "../prepare-page.tsx";

/** The application with the editor alone; the last entry is open. */
export function openPreparePage(...entries: string[]) {
  const children = ["signature/upload", "signature/workflow/:id"].map((path) => ({
    path,
    element: <PreparePage />,
  }));
  const router = createMemoryRouter(
    [
      { path: "/", element: <Outlet />, children },
      { path: "/signature/detail/:id", element: <h1>Détail</h1> },
      { path: "*", element: <h1>Accueil</h1> },
    ],
    { initialEntries: entries },
  );
  renderPart(<RouterProvider router={router} />);
  return { router, address: () => router.state.location.pathname + router.state.location.search };
}

export const stepTitle = (name: string) => screen.findByRole("heading", { level: 1, name });
export const goOn = () =>
  userEvent.click(screen.getAllByRole("button", { name: "Continuer" })[0] as HTMLElement);
