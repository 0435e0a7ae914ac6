/* SPDX-License-Identifier: MIT */
/* private.c - a library that a plugin brings along in its own folder. */
int hostile_private(void);
int hostile_private(void)
{
	return 42;
}
