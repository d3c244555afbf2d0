module reach

go 1.25
