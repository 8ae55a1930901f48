import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { ControlSpecimens } from "./control-specimens.tsx";
import { DisplaySpecimens } from "./display-specimens.tsx";
import { LayerSpecimens } from "./layer-specimens.tsx";

/** Every component of the inventory on one page, in development only. */
export function ComponentsPage() {
  return (
    <main className="main" id="contenu">
      <div className="page-head">
        <div>
          <PageHeading title="Composants">Composants</PageHeading>
        </div>
      </div>
      <div className="stack stack--lg">
        <LayerSpecimens />
        <ControlSpecimens />
        <DisplaySpecimens />
      </div>
    </main>
  );
}
