"""The three ways in which this program ends without accepting."""


class Refused(Exception):
    """The certificate is not accepted: something that it claims is not so, or was not shown."""


class OutsideScope(Exception):
    """The files ask for something that this verifier does not judge. Nothing is accepted."""

    def __str__(self):
        return "outside the scope of this verifier: " + super().__str__()


class BadInput(Exception):
    """A file cannot be read, or contradicts itself."""
