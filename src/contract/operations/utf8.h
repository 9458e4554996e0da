/*
 * utf8.h
 *	  UTF8_DECODE, UTF8_REPAIR, UTF8_ERRORS, UTF8_VALIDATE: of bytes to code
 *	  points, to valid UTF-8, to errors, and to nothing; UTF8_ENCODE: of code
 *	  points to bytes.
 *
 * An error is a maximal subpart (Unicode 15, section 3.9) or a single byte; of
 * UTF8_ENCODE, an integer that is no code point.  "errors" counts them, and
 * "first_error" has the elements before the first one.  The results of
 * UTF8_ERRORS are EngineUtf8Errors.
 */
#ifndef GPUCOMPACT_OPERATIONS_UTF8_H
#define GPUCOMPACT_OPERATIONS_UTF8_H

#include "contract/engine.h"

/* The offset and length of an error, of 1 to 3 bytes. */
typedef struct EngineUtf8Error
{
	int32_t		byte_offset;	/* from 0 on */
	int32_t		length;
} EngineUtf8Error;

typedef struct Utf8Parameters
{
	bool		skip_errors;	/* leave them out; else U+FFFD replaces each */
	bool		zero_is_error;	/* the byte 0 is one */
} Utf8Parameters;

#endif							/* GPUCOMPACT_OPERATIONS_UTF8_H */
