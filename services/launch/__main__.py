"""`python -m services.launch` is `paiju`, for a checkout that is not installed."""

from services.launch.main import app

if __name__ == "__main__":
    app()
