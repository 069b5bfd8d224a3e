"""What scoring decides, with its own code: the deal, the play, the hands, the points, the verdict."""
