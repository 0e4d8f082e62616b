#pragma once
// wchar.h declares it only where _XOPEN_SOURCE is defined, which Swift's view of it is not.
int wcwidth(__WCHAR_TYPE__ character);
