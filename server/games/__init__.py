"""Games that the server keeps: `log` and `kept` are pure, `store*` keep, `keeper` and `mover` run them, `service` answers."""
