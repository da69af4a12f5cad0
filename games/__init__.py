"""Games that the server keeps: pure logic in `log`, `kept` and `course`; the other modules store, run and show them."""
