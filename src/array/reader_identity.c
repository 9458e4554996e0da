/*
 * reader_identity.c
 *	  The identity by which an engine may have cached a stored value.
 */
#include "compat.h"

#include "miscadmin.h"
#include "utils/rel.h"

#include "array/reader_parts.h"

/*
 * Notes the identity by which an engine may have cached the value, unless the
 * value is small or is not read by pages.  "first" points to its first stored
 * bytes.
 */
void
reader_identify(ArrayReader *reader, const ToastReader *stored,
				const struct varlena *attr, const char *first)
{
	ValueIdentity *identity;

	if (reader->size < MIN_KEPT || stored->pages == NULL)
		return;
	StaticAssertStmt(sizeof(varatt_external) == sizeof(identity->key.pointer),
					 "a TOAST pointer has 16 bytes");
	reader->identity = identity = palloc0(sizeof(ValueIdentity));
	identity->key.database = MyDatabaseId;
	identity->key.tag = VARTAG_EXTERNAL(attr);
	memcpy(identity->key.pointer, VARDATA_EXTERNAL(attr),
		   sizeof(identity->key.pointer));
	identity->relation = RelationGetRelid(stored->toastrel);
	identity->value = stored->value;
	identity->block = ItemPointerGetBlockNumber(&stored->pages->first);
	identity->item = ItemPointerGetOffsetNumber(&stored->pages->first);
	identity->xmin = stored->pages->first_xmin;
	identity->nfirst = Min(Min(stored->size, TOAST_MAX_CHUNK_SIZE),
						   IDENTITY_FIRST);
	memcpy(identity->first, first, identity->nfirst);
}

/*
 * Notes which bytes of a value that has an identity an engine gets, and what
 * NULLs become; of a packed array, which bytes of all values.  The value loses
 * its identity if they are few, as for an array of NULLs.
 *
 * NULLs are filled in whole arrays only, so that the bytes say where they are.
 */
void
reader_identify_values(ArrayReader *reader, Size offset)
{
	ValueIdentity *identity = reader->identity;
	int64		bytes = reader->count * reader->type.size;

	if (bytes < MIN_KEPT)
	{
		pfree(identity);
		reader->identity = NULL;
		return;
	}
	identity->key.offset = reader->packed != NULL ?
		reader->packed->begin * reader->type.size : offset;
	identity->key.booleans = reader->type.base == BOOLOID;
	if (reader->filled)
	{
		identity->key.filling = reader->filling;
		memcpy(identity->key.fill, reader->at.fill, sizeof(reader->at.fill));
	}
	identity->key.bytes = bytes;
}
