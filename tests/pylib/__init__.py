# SPDX-License-Identifier: BSD-3-Clause
"""What the loop, interoperability and lab tests share.

Python 3 standard library only. Nothing here sleeps: every wait is for an
event and has a deadline, and whatever a test started is ended by its
process id when the test is over.
"""
