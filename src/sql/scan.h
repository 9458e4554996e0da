/*
 * scan.h
 *	  The operators of scans, for other functions that reduce.
 */
#ifndef GPUCOMPACT_SCAN_H
#define GPUCOMPACT_SCAN_H

#include "array/element.h"
#include "contract/operations/scan.h"

extern const ElementValue scan_neutral[SCAN_OPERATORS][ELEMENT_KINDS];
extern void scan_check_count(const ElementType *type, const char *hint);
extern void scan_check_operator(ScanOperator op, const ElementType *type);

#endif							/* GPUCOMPACT_SCAN_H */
