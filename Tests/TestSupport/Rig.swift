// What starts servers and programs is shared with the system tests.
@_exported import Rig
