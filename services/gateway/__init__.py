"""The players' door: WebSocket, gRPC and the page, in front of everything else."""
