"""The ways in over HTTP: the WebSocket, single calls, and the page."""
