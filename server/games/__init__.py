"""Games that the server keeps: pure in `log`, `kept` and `course`; stored, run and shown by the other modules."""
