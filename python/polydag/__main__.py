import sys

from ._binary import main

sys.exit(main())
