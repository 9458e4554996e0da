/*
 * chain_record.h
 *	  How the calls of the last chain went.
 */
#ifndef GPUCOMPACT_CHAIN_RECORD_H
#define GPUCOMPACT_CHAIN_RECORD_H

#include "call/call.h"

extern void chain_record_begin(void);
extern void chain_record_add(const LastCall *call);
extern char *chain_record_text(void);

#endif							/* GPUCOMPACT_CHAIN_RECORD_H */
