//go:build darwin || freebsd || netbsd || openbsd

package main

import "syscall"

func redirect(from, to int) error { return syscall.Dup2(from, to) }
