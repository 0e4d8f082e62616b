import DuetApp

runDuet()
