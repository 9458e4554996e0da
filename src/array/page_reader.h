/*
 * page_reader.h
 *	  Pins the pages of a TOAST table on which a value's chunks are.
 */
#ifndef GPUCOMPACT_PAGE_READER_H
#define GPUCOMPACT_PAGE_READER_H

#include "compat.h"

#include "storage/buf.h"

#include "array/toast_chunks.h"

extern Buffer read_next_page(ToastChunks *chunks);

#endif							/* GPUCOMPACT_PAGE_READER_H */
