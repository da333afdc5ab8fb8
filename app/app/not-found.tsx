import { ButtonLink } from "../components/Button.tsx";
import { Page } from "../components/Page.tsx";

export default function NotFound() {
  return (
    <Page title="There is nothing at this address" lead="The link may be incomplete.">
      <p>
        <ButtonLink href="/">Go to the overview</ButtonLink>
      </p>
    </Page>
  );
}
