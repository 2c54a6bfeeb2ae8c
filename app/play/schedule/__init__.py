"""Due work, which needs no request: clocks, absences, time credit, outages, and the due row of a room."""
